import { pieceIfThere } from "../observers/log-lines.ts";
import { headOf } from "../observers/logged-event.ts";
import type { LoggedJson } from "../runs/json/shapes.ts";
import type { RunEvents } from "./api.ts";
import { type EventSource, printEvent } from "./event-stream.ts";
import { placeAfter, type Told } from "./log-place.ts";
import { overviewHead } from "./overview.ts";
import { problemOf } from "./problem.ts";
import type { RunWatch, Seen } from "./run-watch.ts";

/**
 * What one browser is told of a run (docs/dashboard.md, "What the page is sent"): each line of the log that it has
 * not been told of, once and in its order, and that the overview has changed. Numbers only grow: over the
 * end of a process, and the next that goes on with the run.
 */
export function runEvents(watch: RunWatch, told: Told | null): EventSource {
  const { events: log } = watch.of.artifacts;
  let place = placeAfter(log, told);
  let revision = -1;
  let greeting: string | null = place.isReset ? print("reset", { seq: place.seq }, place.seq) : "";

  const lines = (): string => {
    const piece = pieceIfThere(log, place.offset);
    if (piece === null) return "";
    if (piece.next < place.offset) {
      place = { seq: 0, offset: 0, isReset: true };
      return print("reset", { seq: 0 }, 0);
    }
    const fresh: string[] = [];
    for (const line of piece.lines) {
      const seq = headOf(line)?.seq;
      const told = seq !== undefined && seq > place.seq ? parsed(line) : null;
      if (seq === undefined || told === null) continue;
      fresh.push(print("told", told, seq));
      place = { ...place, seq };
    }
    place = { ...place, offset: piece.next };
    return fresh.join("");
  };

  const changed = (seen: Seen): string => {
    if (seen.revision === revision) return "";
    revision = seen.revision;
    // A browser that comes back before anything was told says from where it has listened.
    return print("changed", overviewHead(watch, seen), greeting === null ? null : place.seq);
  };

  return {
    listen: (listener) => watch.listen(listener),
    async next() {
      try {
        const seen = await watch.latest();
        const text = `${greeting ?? ""}${lines()}${changed(seen)}`;
        greeting = null;
        return text === "" ? null : { text, over: false };
      } catch (error) {
        return { text: print("gone", problemOf(error), null), over: true };
      }
    },
  };
}

function print<Name extends keyof RunEvents>(
  name: Name,
  data: RunEvents[Name],
  id: number | null,
): string {
  return printEvent(name, JSON.stringify(data), id);
}

/** Null of a line that a crash has torn. */
function parsed(line: string): LoggedJson | null {
  try {
    return JSON.parse(line) as LoggedJson;
  } catch {
    return null;
  }
}
