/** Whether a final error of the client reports a usage limit. Never use it for text of a model. */
export function mentionsLimit(text: string): boolean {
  return LIMIT.test(text);
}

const LIMIT =
  /\b(?:hit|reached) your (?!.{0,40}?\brate limit).{0,40}?\blimit\b|\b(?:usage|hour|session|daily|weekly|monthly|opus|sonnet) limit (?:reached|exceeded|hit)\b|\blimit reached\b.{0,40}?\bresets?\b|\bout of (?:extra )?usage\b|\breached your (?:specified )?(?:api )?(?:usage|spend(?:ing)?) limits?\b|\byou will regain access on\b/i;

/**
 * Parses the end of a limit in an error of the client, epoch ms: `limit reached|1732550400`, `resets in 2h 30m`,
 * `resets 3pm`, `resets at 15:30 (Europe/Berlin)`, `resets Dec 3, 5am`, `regain access on 2026-12-01 at 00:00 UTC`. A time
 * of day that has just passed means today: messages are late and clocks differ. Times without a zone are in `timeZone`.
 * Null for other formats: the run then retries periodically.
 */
export function parseResetTime(text: string, now: number, timeZone: string): number | null {
  const earliest = now - JUST_PAST_MS;
  const moment =
    epoch(text) ??
    span(text, now) ??
    date(text, earliest, timeZone) ??
    timeOfDay(text, earliest, timeZone);
  return moment === null || moment < earliest ? null : moment;
}

/** Maximum age of a reset time, ms. The shortest limits last five hours. */
const JUST_PAST_MS = 2 * 3_600_000;
const DAY_MS = 86_400_000;

function epoch(text: string): number | null {
  const digits = /limit reached\|(\d{13}|\d{10})\b/i.exec(text)?.[1];
  return digits === undefined ? null : Number(digits.padEnd(13, "0"));
}

function span(text: string, now: number): number | null {
  const words = SPAN.exec(text)?.[1];
  if (words === undefined) return null;
  let minutes = 0;
  for (const [, count, unit = ""] of words.matchAll(/(\d+)\s*([a-z])/gi)) {
    minutes += Number(count) * MINUTES[unit.toLowerCase() as keyof typeof MINUTES];
  }
  return now + minutes * 60_000;
}

const SPAN =
  /\bresets?\s+in\s+((?:(?:,|and|\s)*\d{1,4}\s*(?:d|days?|h|hrs?|hours?|m|mins?|minutes?)(?![a-z]))+)/i;
const MINUTES = { d: 1_440, h: 60, m: 1 } as const;

function timeOfDay(text: string, earliest: number, timeZone: string): number | null {
  const found = CLOCK.exec(text)?.groups;
  const time = found === undefined ? null : clockTime(found);
  return time === null ? null : momentOf(time, earliest, found?.["zone"] ?? timeZone);
}

const TIME =
  /(?:(?<hour12>\d{1,2})(?::(?<minute12>\d{2}))?\s*(?<half>[ap])(?:m\b|\.m\.?)|(?<hour24>\d{1,2}):(?<minute24>\d{2})(?![\d:]))(?:\s*\(?(?<zone>[A-Z]\w*\/[\w+\-/]+|UTC|GMT)\b\)?)?/;

/** `start`, `then` and the end of the sentence. */
function ending(start: RegExp, then: RegExp): RegExp {
  return new RegExp(
    `${start.source}${then.source}\\s*(?:$|[\\n\u00b7\u2219\u2022"]|\\.(?:[\\s"]|$))`,
    "i",
  );
}

/**
 * `resets 3pm`, `reset at 3:30 p.m. (Europe/Berlin).`, `resets: 14:00 UTC · /upgrade`. The sentence must end after it:
 * `resets 3pm on Nov 25` is another day.
 */
const CLOCK = ending(/\bresets?\b[\s:]*(?:at\s+)?/, TIME);

/** `resets Dec 3, 5am (Europe/Berlin)`, `resets on Dec 3`, `regain access on 2026-12-01 at 00:00 UTC.` */
const DATE = ending(
  /\b(?:resets?|regain access|try again)\b[\s:]*(?:(?:on|at)\s+)?(?:(?<iso>\d{4}-\d{2}-\d{2})|(?<month>[A-Z][a-z]{2})[a-z]*\.? (?<day>\d{1,2})(?:st|nd|rd|th)?(?:, (?<year>\d{4}))?)/,
  new RegExp(`(?:(?:,|T)?\\s*(?:at\\s+)?${TIME.source})?`, "i"),
);

/** A date is a day, or a time of it. Without a year it is the first one from `earliest` on, at most some months later. */
function date(text: string, earliest: number, timeZone: string): number | null {
  const found = DATE.exec(text)?.groups;
  if (found === undefined) return null;
  const { iso, month, day, year, zone } = found;
  const time = clockTime(found);
  if (time === null) return null;
  const first = new Date(earliest).getUTCFullYear();
  const known = iso?.slice(0, 4) ?? year;
  const years = known === undefined ? [first - 1, first, first + 1] : [Number(known)];
  for (const each of years) {
    const midnight = Date.parse(
      iso === undefined
        ? `${month ?? ""} ${day ?? ""}, ${String(each)} 00:00 UTC`
        : `${iso}T00:00Z`,
    );
    // Some months have fewer days: the parser takes Feb 30 for Mar 2.
    if (Number.isNaN(midnight) || new Date(midnight).getUTCDate() !== Number(day ?? iso?.slice(8)))
      continue;
    const at = zoned(midnight + time, zone ?? timeZone);
    if (at === null) return null;
    if (known !== undefined) return at;
    if (at >= earliest) return at - earliest > LATEST_MS ? null : at;
  }
  return null;
}

/** Maximum distance of a date without a year, ms. */
const LATEST_MS = 100 * DAY_MS;

/** The time that a clock in a zone shows, as if it was UTC, as a moment. */
function zoned(shown: number, zone: string): number | null {
  const near = offsetAt(shown, zone);
  if (near === null) return null;
  return shown - (offsetAt(shown - near, zone) ?? near);
}

/** Ms of the day, 0 without a time; null for a time that no clock shows. */
function clockTime({
  hour12,
  minute12,
  half,
  hour24,
  minute24,
}: Partial<Record<string, string>>): number | null {
  const hour = Number(hour12 ?? hour24 ?? 0);
  const minute = Number(minute12 ?? minute24 ?? 0);
  const isHour = half === undefined ? hour <= 23 : hour >= 1 && hour <= 12;
  if (!isHour || minute > 59) return null;
  const afternoon = half?.toLowerCase() === "p" ? 12 : 0;
  const hours = half === undefined ? hour : (hour % 12) + afternoon;
  return (hours * 60 + minute) * 60_000;
}

/** The first time from `earliest` on at which clocks in the zone show `time`, ms of a day. */
function momentOf(time: number, earliest: number, zone: string): number | null {
  // Daylight saving time changes at most once in this period.
  const before = offsetAt(earliest, zone);
  const after = offsetAt(earliest + DAY_MS, zone);
  if (before === null || after === null) return null;
  const moments = [before, after].flatMap((offset) => {
    const until = (time - ((earliest + offset) % DAY_MS) + DAY_MS) % DAY_MS;
    return [0, DAY_MS].map((later) => ({ at: earliest + until + later, offset }));
  });
  moments.sort((a, b) => a.at - b.at);
  const shown = moments.find(({ at, offset }) => {
    const inForce = offsetAt(at, zone) ?? 0;
    // A time that daylight saving time skips is shown as a later one.
    return inForce === offset || (offset === before && inForce > before);
  });
  return shown?.at ?? null;
}

/** UTC offset of an IANA zone, ms; null for an unknown zone. */
function offsetAt(at: number, timeZone: string): number | null {
  try {
    const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
    const name = format.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign = "+", hours = 0, minutes = 0] = /([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
    return Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  } catch {
    return null;
  }
}
