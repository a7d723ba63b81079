import type { LoggedJson } from "../../inspect/json/shapes.ts";
import { readPieceIfExists } from "../../log/codec/log-lines.ts";
import { headOf } from "../../log/codec/logged-event.ts";
import type { RunEvents } from "../api.ts";
import { problemOf } from "../server/problem.ts";
import { type EventSource, printEvent } from "./event-stream.ts";
import { type ClientPosition, positionAfter } from "./log-position.ts";
import { overviewSummary } from "./overview.ts";
import type { RunSnapshot, RunWatch } from "./run-watch.ts";

/**
 * The event stream of a run for one client (docs/dashboard.md, "HTTP API"): each new line of the log once and in
 * order, and changes of the overview. Ids increase, also across the processes that run it one after the other.
 */
export function runEvents(watch: RunWatch, client: ClientPosition | null): EventSource {
  const { events: log } = watch.of.artifacts;
  let position = positionAfter(log, client);
  let revision = -1;
  let greeting: string | null = position.isReset
    ? print("reset", { seq: position.seq }, position.seq)
    : "";

  const lines = (): string => {
    const piece = readPieceIfExists(log, position.offset);
    if (piece === null) return "";
    if (piece.next < position.offset) {
      position = { seq: 0, offset: 0, isReset: true };
      return print("reset", { seq: 0 }, 0);
    }
    const fresh: string[] = [];
    for (const line of piece.lines) {
      const seq = headOf(line)?.seq;
      const event = seq !== undefined && seq > position.seq ? parsed(line) : null;
      if (seq === undefined || event === null) continue;
      fresh.push(print("logged", event, seq));
      position = { ...position, seq };
    }
    position = { ...position, offset: piece.next };
    return fresh.join("");
  };

  const changed = (seen: RunSnapshot): string => {
    if (seen.revision === revision) return "";
    revision = seen.revision;
    // The id lets a client that reconnects before any `logged` event continue from here.
    return print("changed", overviewSummary(watch, seen), greeting === null ? null : position.seq);
  };

  return {
    subscribe: (listener) => watch.subscribe(listener),
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

/** Null for a line that a crash truncated. */
function parsed(line: string): LoggedJson | null {
  try {
    return JSON.parse(line) as LoggedJson;
  } catch {
    return null;
  }
}
