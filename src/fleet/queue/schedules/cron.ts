import { Cron } from "croner";

/** Why no schedule can be made of an expression of cron, as a clause that follows the quoted text; null where one can. */
export function cronProblem(text: string): string | null {
  // What the library takes beside it: one moment, seconds and years.
  if (!/^(?:@\w+|\S+(?:\s+\S+){4})$/.test(text.trim())) return "has not five fields";
  try {
    return dueBehind(text, "UTC", 0) === null ? "names days that never come" : null;
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return `is not understood: ${said.replace(/^\w+: /, "").replace(/\.$/, "")}`;
  }
}

/** Whether there is a time zone of this name. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}

/**
 * The first moment behind `after` (epoch ms) at which an expression that has no problem is due, epoch ms, by the
 * clocks of a time zone (docs/fleet.md, "Schedules").
 */
export function nextTime(text: string, zone: string, after: number): number {
  const next = dueBehind(text, zone, after);
  if (next === null) throw new Error(`a schedule is never due: ${text}`);
  return next;
}

function dueBehind(text: string, timezone: string, after: number): number | null {
  const cron = new Cron(text.trim(), { timezone, mode: "5-part", paused: true });
  return cron.nextRun(new Date(after))?.getTime() ?? null;
}
