import { BadFlagError } from "../config/errors.ts";
import { parseDurationFlag } from "../config/flags.ts";

/**
 * When a run is to begin, epoch ms: a moment, or a duration from now. A moment without a zone is of this machine's
 * clock. Throws a BadFlagError for what is neither, and for a moment that is over.
 */
export function beginTime(text: string, now: number): number {
  if (!DATE.test(text)) {
    try {
      return now + parseDurationFlag("--at", text);
    } catch {
      throw new BadFlagError("--at", text, EXPECTED);
    }
  }
  // A date alone would be read as midnight of UTC.
  const moment = Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text);
  if (Number.isNaN(moment)) throw new BadFlagError("--at", text, EXPECTED);
  if (moment < now - LATE_MS) {
    throw new BadFlagError(
      "--at",
      text,
      "a moment that is still to come; without --at it begins now",
    );
  }
  return moment;
}

const DATE = /^\d{4}-/;
const EXPECTED = "a moment such as 2026-11-22T18:00:00Z, or a duration from now such as 2h";

/** Whoever says now may be a little late. */
const LATE_MS = 60_000;
