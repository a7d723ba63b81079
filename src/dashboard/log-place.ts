import { errorCode } from "../core/error-code.ts";
import { linesFromEnd } from "../observers/log-lines.ts";
import { headOf } from "../observers/logged-event.ts";

/** A place in an event log, behind the line with this number: what is told next stands from `offset` on. */
export interface LogPlace {
  readonly seq: number;
  readonly offset: number;
  /** What was asked for is too far back, or is not there: this is the end. */
  readonly isReset: boolean;
}

/** What somebody has been told already. */
export interface Told {
  readonly seq: number;
  /** They have seen this line, so it must be there. */
  readonly seen: boolean;
}

/** Where to go on for who has been told so much; at the end for who has been told nothing. */
export function placeAfter(log: string, told: Told | null, farthest = FARTHEST): LogPlace {
  try {
    return find(log, told, farthest);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    const isReset = told?.seen === true && told.seq > 0;
    return { seq: isReset ? 0 : (told?.seq ?? 0), offset: 0, isReset };
  }
}

/** Whoever is farther behind, bytes, had better load all again. */
const FARTHEST = 4 * 1024 * 1024;

function find(log: string, told: Told | null, farthest: number): LogPlace {
  let end: LogPlace | null = null;
  /** Where the line begins that stands behind the one that is looked at. */
  let offset: number | null = null;
  for (const { start, text } of linesFromEnd(log)) {
    // Behind the last line end stands what may still be written: it will be read as a whole.
    offset ??= start;
    const seq = headOf(text)?.seq;
    if (seq !== undefined && start < offset) {
      end ??= { seq, offset, isReset: told !== null };
      if (told === null) return end;
      if (seq <= told.seq) {
        // Of a log that ends before what they have seen, nobody knows what it tells now.
        if (end.offset === offset && told.seen && seq < told.seq) return end;
        return { seq: told.seq, offset, isReset: false };
      }
      if (end.offset - start > farthest) return end;
    }
    offset = Math.min(offset, start);
  }
  if (told === null || (told.seen && end === null && told.seq > 0)) {
    return end ?? { seq: 0, offset: 0, isReset: told !== null };
  }
  return { seq: told.seq, offset: 0, isReset: false };
}
