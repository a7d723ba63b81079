import type { LoggedJson } from "../../inspect/json/shapes.ts";
import { errorCode } from "../../language/basics/error-code.ts";
import { linesFromEnd, readPieceIfExists } from "../../log/codec/log-lines.ts";
import { headOf } from "../../log/codec/logged-event.ts";
import type { RunEvents } from "../api.ts";
import { problemOf } from "../server/problem.ts";
import type { ClientPosition } from "../server/request.ts";
import { type EventSource, printEvent } from "./event-stream.ts";
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

  const changed = (snapshot: RunSnapshot): string => {
    if (snapshot.revision === revision) return "";
    revision = snapshot.revision;
    // The id lets a client that reconnects before any `logged` event continue from here.
    return print(
      "changed",
      overviewSummary(watch, snapshot),
      greeting === null ? null : position.seq,
    );
  };

  return {
    subscribe: (listener) => watch.subscribe(listener),
    async next() {
      try {
        const snapshot = await watch.latest();
        const text = `${greeting ?? ""}${lines()}${changed(snapshot)}`;
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
  return printEvent(name, data, id);
}

/** Null for a line that a crash truncated. */
function parsed(line: string): LoggedJson | null {
  try {
    return JSON.parse(line) as LoggedJson;
  } catch {
    return null;
  }
}

/** A position in an event log: after the line `seq`, at the byte `offset`. */
interface LogPosition {
  readonly seq: number;
  readonly offset: number;
  /** The requested position is too far back or does not exist: this is the end of the log. */
  readonly isReset: boolean;
}

/** The position from which a client continues; the end of the log for a new client. */
function positionAfter(log: string, client: ClientPosition | null): LogPosition {
  try {
    return findPosition(log, client);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    const isReset = client?.received === true && client.seq > 0;
    return { seq: isReset ? 0 : (client?.seq ?? 0), offset: 0, isReset };
  }
}

/** A client that is farther behind reloads everything instead. */
const MAX_CATCH_UP_BYTES = 4 * 1024 * 1024;

function findPosition(log: string, client: ClientPosition | null): LogPosition {
  let end: LogPosition | null = null;
  /** Start of the line after the current one. */
  let offset: number | null = null;
  for (const { start, text } of linesFromEnd(log)) {
    // Text after the last line end is still being written.
    offset ??= start;
    const seq = headOf(text)?.seq;
    if (seq !== undefined && start < offset) {
      end ??= { seq, offset, isReset: client !== null };
      if (client === null) return end;
      if (seq <= client.seq) {
        // The log ends before an event that the client has: it was replaced.
        if (end.offset === offset && client.received && seq < client.seq) return end;
        return { seq: client.seq, offset, isReset: false };
      }
      if (end.offset - start > MAX_CATCH_UP_BYTES) return end;
    }
    offset = Math.min(offset, start);
  }
  if (client === null || (client.received && end === null && client.seq > 0)) {
    return end ?? { seq: 0, offset: 0, isReset: client !== null };
  }
  return { seq: client.seq, offset: 0, isReset: false };
}
