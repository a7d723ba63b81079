import { errorCode } from "../../language/basics/error-code.ts";
import { linesFromEnd } from "../../log/codec/log-lines.ts";
import { headOf } from "../../log/codec/logged-event.ts";

/** A position in an event log: after the line `seq`, at the byte `offset`. */
export interface LogPosition {
  readonly seq: number;
  readonly offset: number;
  /** The requested position is too far back or does not exist: this is the end of the log. */
  readonly isReset: boolean;
}

/** The last event that a client has. */
export interface ClientPosition {
  readonly seq: number;
  /** The client has received this line, so a log without it was replaced. */
  readonly seen: boolean;
}

/** The position from which a client continues; the end of the log for a new client. */
export function positionAfter(
  log: string,
  client: ClientPosition | null,
  farthest = MAX_CATCH_UP_BYTES,
): LogPosition {
  try {
    return find(log, client, farthest);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    const isReset = client?.seen === true && client.seq > 0;
    return { seq: isReset ? 0 : (client?.seq ?? 0), offset: 0, isReset };
  }
}

/** A client that is farther behind reloads everything instead. */
const MAX_CATCH_UP_BYTES = 4 * 1024 * 1024;

function find(log: string, client: ClientPosition | null, farthest: number): LogPosition {
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
        if (end.offset === offset && client.seen && seq < client.seq) return end;
        return { seq: client.seq, offset, isReset: false };
      }
      if (end.offset - start > farthest) return end;
    }
    offset = Math.min(offset, start);
  }
  if (client === null || (client.seen && end === null && client.seq > 0)) {
    return end ?? { seq: 0, offset: 0, isReset: client !== null };
  }
  return { seq: client.seq, offset: 0, isReset: false };
}
