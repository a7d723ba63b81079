import { readWhen, type TimeOfDay, type When } from "./said-time.ts";
import { type Moment, momentsAt, type WallTime, wallTime } from "./wall-time.ts";

/**
 * Whether these words say that a usage limit is reached. They must be the
 * client's own, in its final error: a model may say anything.
 */
export function speaksOfLimit(text: string): boolean {
  return LIMIT.test(text);
}

const LIMIT =
  /\b(?:hit|reached) your (?!.{0,40}?\brate limit).{0,40}?\blimit\b|\b(?:usage|hour|session|daily|weekly|monthly|opus|sonnet) limit (?:reached|exceeded|hit)\b|\blimit reached\b.{0,40}?\bresets?\b|\bout of (?:extra )?usage\b/i;

/**
 * The moment, epoch ms, at which a limit ends by the words of the client:
 * `resets 3pm`, `resets 3:30pm (Europe/Berlin)`, `resets Nov 25, 9am`,
 * `resets at 14:00`, `resets Monday 9am`, `resets in 2h 30m`,
 * `limit reached|1732550400`. One that has just passed is that moment: slow
 * news, or another clock, and no reason to wait for tomorrow. A time of day
 * that is longer past means tomorrow. Without a zone of its own a time is
 * meant in `timeZone`. Null for what is not understood, and for a date that is
 * long past: then the end is unknown.
 */
export function resetFromWords(text: string, now: Moment, timeZone: string): Moment | null {
  const earliest = now - JUST_PAST_MS;
  const moment = find(readWhen(text), now, timeZone, earliest);
  return moment === null || moment < earliest ? null : moment;
}

/** News of a limit may be so old, ms: the shortest limits are of five hours. */
const JUST_PAST_MS = 2 * 3_600_000;

function find(when: When | null, now: Moment, timeZone: string, earliest: Moment): Moment | null {
  switch (when?.kind) {
    case undefined:
      return null;
    case "epoch":
      return when.at;
    case "span":
      return now + when.ms;
    case "clock":
    case "date":
    case "weekday": {
      const zone = when.zone ?? timeZone;
      const today = wallTime(now, zone);
      return today === null ? null : onCalendar(when, { now, earliest, zone, today });
    }
  }
}

/** The moment from which a time is looked for. */
interface Here {
  readonly now: Moment;
  /** No moment before it is meant. */
  readonly earliest: Moment;
  readonly zone: string;
  readonly today: WallTime;
}

function onCalendar(when: Exclude<When, { kind: "epoch" | "span" }>, here: Here): Moment | null {
  switch (when.kind) {
    case "clock":
      return soonest(when.tomorrow ? [1] : [-1, 0, 1, 2], when.time, here);
    case "date":
      return onDate(when, here);
    case "weekday": {
      const { year, month, day } = here.today;
      const current = new Date(Date.UTC(year, month - 1, day)).getUTCDay();
      const days = (when.weekday - current + 7) % 7;
      return soonest([days - 7, days, days + 7], when.time, here);
    }
  }
}

/** The first moment at which it is this time, so many days from today. */
function soonest(days: readonly number[], time: TimeOfDay, { earliest, zone, today }: Here) {
  for (const ahead of days) {
    const date = new Date(Date.UTC(today.year, today.month - 1, today.day + ahead));
    const year = date.getUTCFullYear();
    const wall = { year, month: date.getUTCMonth() + 1, day: date.getUTCDate(), ...time };
    const next = momentsAt(wall, zone).find((moment) => moment >= earliest);
    if (next !== undefined) return next;
  }
  return null;
}

/** A date without a year that lies farther ahead was rather just past, ms. */
const HALF_A_YEAR_MS = 183 * 86_400_000;

function onDate(
  { year, month, day, time }: Extract<When, { kind: "date" }>,
  { now, earliest, zone, today }: Here,
): Moment | null {
  const after = (of: number): Moment | undefined =>
    momentsAt({ year: of, month, day, ...time }, zone).find((moment) => moment >= earliest);
  if (year !== null) return after(year) ?? null;
  const next = after(today.year - 1) ?? after(today.year) ?? after(today.year + 1);
  return next === undefined || next - now > HALF_A_YEAR_MS ? null : next;
}
