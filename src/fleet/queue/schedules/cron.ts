import { Cron } from "croner";

/** Why a cron expression is invalid, as a clause after the quoted text; null if it is valid. */
export function cronProblem(text: string): string | null {
  // The library also accepts a single date, seconds and years.
  if (!/^(?:@\w+|\S+(?:\s+\S+){4})$/.test(text.trim())) return "does not have five fields";
  try {
    return dueAfter(text, "UTC", 0) === null ? "names days that never occur" : null;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return `cannot be parsed: ${message.replace(/^\w+: /, "").replace(/\.$/, "")}`;
  }
}

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}

/** The first time after `after` at which a valid expression is due (docs/fleet.md, "Schedules"). Both epoch ms. */
export function nextTime(text: string, zone: string, after: number): number {
  const next = dueAfter(text, zone, after);
  if (next === null) throw new Error(`a schedule is never due: ${text}`);
  return next;
}

function dueAfter(text: string, timezone: string, after: number): number | null {
  const cron = new Cron(text.trim(), { timezone, mode: "5-part", paused: true });
  return cron.nextRun(new Date(after))?.getTime() ?? null;
}
