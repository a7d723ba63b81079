/** Epoch ms. */
export type Moment = number;

/** What a clock on the wall shows, with its calendar; `month` counts from 1. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const DAY_MS = 86_400_000;

/** What a wall clock in this IANA zone shows at a moment; null for a zone that nobody knows. */
export function wallTime(at: Moment, timeZone: string): WallTime | null {
  const format = formatOf(timeZone);
  if (format === null || Number.isNaN(new Date(at).getTime())) return null;
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  return {
    year: part("year"),
    month: part("month"),
    day: part("day"),
    hour: part("hour"),
    minute: part("minute"),
    second: part("second"),
  };
}

/**
 * The moments at which a wall clock in this zone shows the time, earliest
 * first: one as a rule, two where the clock is put back. Where it is put
 * forward over that time, the one at which it would have shown it. None for a
 * date that no calendar has and for a zone that nobody knows.
 */
export function momentsAt(wall: WallTime, timeZone: string): readonly Moment[] {
  const asUtc = utcOf(wall);
  if (!isSame(wall, wallTime(asUtc, "UTC"))) return [];
  // The offsets in force around that time: a clock is never put twice in two days.
  const before = offsetAt(asUtc - DAY_MS, timeZone);
  const after = offsetAt(asUtc + DAY_MS, timeZone);
  if (before === null || after === null) return [];
  const candidates = [...new Set([asUtc - before, asUtc - after])].sort((a, b) => a - b);
  const exact = candidates.filter((moment) => isSame(wall, wallTime(moment, timeZone)));
  return exact.length > 0 ? exact : [asUtc - before];
}

function formatOf(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    return null;
  }
}

/** How far the zone's clocks are ahead of UTC, ms. */
function offsetAt(at: Moment, timeZone: string): number | null {
  const wall = wallTime(at, timeZone);
  return wall === null ? null : utcOf(wall) - Math.floor(at / 1_000) * 1_000;
}

function utcOf({ year, month, day, hour, minute, second }: WallTime): Moment {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function isSame(a: WallTime, b: WallTime | null): boolean {
  return b !== null && utcOf(a) === utcOf(b) && a.month === b.month && a.day === b.day;
}
