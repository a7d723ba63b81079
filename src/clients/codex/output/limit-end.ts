import { parseResetTime } from "../../common/limit-text.ts";

/**
 * The end of a limit in a message of the client, epoch ms: `try again at 4:02 PM.` today, or `try again at Nov 26th, 2026
 * 4:04 PM.` Null for other formats. The conversation usually has the exact time; the client formats it in local time.
 */
export function limitEnd(message: string, now: number, timeZone: string): number | null {
  const [, when] = /\btry again at (.*[AP]M)\b/.exec(message) ?? [];
  return when === undefined ? null : parseResetTime(`resets ${when}.`, now, timeZone);
}
