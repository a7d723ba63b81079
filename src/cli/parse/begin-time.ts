import { BadFlagError } from "../../config/errors.ts";
import { parseDurationFlag } from "../../config/flags.ts";

/**
 * The start time of `--at`, epoch ms: a time, or a duration from now. A time without a zone is local. Throws a
 * BadFlagError for any other text, and for a time in the past.
 */
export function beginTime(text: string, now: number): number {
  if (!DATE.test(text)) {
    try {
      return now + parseDurationFlag("--at", text);
    } catch {
      throw new BadFlagError("--at", text, EXPECTED);
    }
  }
  // `Date.parse` reads a date alone as midnight UTC.
  const moment = Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text);
  if (Number.isNaN(moment)) throw new BadFlagError("--at", text, EXPECTED);
  if (moment < now - LATE_MS) {
    throw new BadFlagError("--at", text, "a time in the future; without --at the run starts now");
  }
  return moment;
}

const DATE = /^\d{4}-/;
const EXPECTED = "a time such as 2026-11-22T18:00:00Z, or a duration such as 2h";

/** Tolerance for a time of now. */
const LATE_MS = 60_000;
