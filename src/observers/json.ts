import type { Observer } from "../ports/observer.ts";
import { encodeEvent, eventLine } from "./event-json.ts";

/**
 * One event a line, for `--json` (docs/events.md); `at` is the time of the event. `line` gets each line without its line
 * end; what it throws is swallowed, for a reader that went away must not stop a run.
 */
export function jsonObserver(line: (text: string) => void, clock: { now(): number }): Observer {
  return {
    notify(event, _run, seq) {
      try {
        line(eventLine(encodeEvent(event), seq, clock.now()));
      } catch {
        // The destination is closed or full: the run is worth more than its report.
      }
    },
  };
}
