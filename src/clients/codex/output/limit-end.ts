import { parseResetTime } from "../../common/limit-text.ts";

/**
 * The end of a limit in a message of the client, epoch ms: `try again at 4:02 PM.` today, or `try again at Nov 26th, 2026
 * 4:04 PM.` Null for other formats. The conversation usually has the exact time; the client formats it in local time.
 */
export function limitEnd(message: string, now: number, timeZone: string): number | null {
  const [, date, time] = AGAIN.exec(message) ?? [];
  if (time === undefined) return null;
  if (date === undefined) return parseResetTime(`resets at ${time}.`, now, timeZone);
  const [, month = "", day = "", year = ""] = DATE.exec(date) ?? [];
  const midnight = Date.parse(`${month} ${day}, ${year} 00:00 UTC`);
  if (Number.isNaN(midnight)) return null;
  // Zones differ by more than a day, so there are up to three candidates.
  const found = [-14, 10, 34].map((hours) => {
    const earliest = midnight + hours * HOUR_MS;
    return parseResetTime(`resets at ${time}.`, earliest + TOLERANCE_MS, timeZone);
  });
  return found.find((at) => at !== null && dayOf(at, timeZone) === midnight) ?? null;
}

/** The day in a zone, as its start in UTC. */
function dayOf(at: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, dateStyle: "medium" });
  return Date.parse(`${format.format(at)} 00:00 UTC`);
}

/** {@link parseResetTime} accepts times that have passed by this. */
const TOLERANCE_MS = 2 * 3_600_000;

const AGAIN =
  /\btry again at (?:([A-Z][a-z]{2} \d{1,2}(?:st|nd|rd|th), \d{4}) )?(\d{1,2}:\d{2} [AP]M)\b/;
const DATE = /^([A-Z][a-z]{2}) (\d{1,2})\D{2}, (\d{4})$/;
const HOUR_MS = 3_600_000;
