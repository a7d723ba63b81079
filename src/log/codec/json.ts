import type { Observer } from "../../engine/ports/observer.ts";
import { encodeEvent, eventLine } from "./event-json.ts";

/**
 * Writes one event per line, for `--json` (docs/events.md). `line` receives lines without a line end. Its errors are
 * ignored: a closed pipe must not stop a run.
 */
export function jsonObserver(line: (text: string) => void, clock: { now(): number }): Observer {
  return {
    notify(event, _run, seq) {
      try {
        line(eventLine(encodeEvent(event), seq, clock.now()));
      } catch {
        // The destination is closed or full.
      }
    },
  };
}
