/** What a clock shows. */
export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

interface Timed {
  readonly time: TimeOfDay;
  /** The IANA zone that was named, there be such a one or not; null: none was named. */
  readonly zone: string | null;
}

/** When a limit resets, as it was said. */
export type When =
  | { readonly kind: "epoch"; readonly at: number }
  | { readonly kind: "span"; readonly ms: number }
  | (Timed & { readonly kind: "clock"; readonly tomorrow: boolean })
  /** `month` counts from 1; `year` is null where none was said. */
  | (Timed & {
      readonly kind: "date";
      readonly year: number | null;
      readonly month: number;
      readonly day: number;
    })
  /** 0 is Sunday. */
  | (Timed & { readonly kind: "weekday"; readonly weekday: number });

/** Reads when a limit resets out of the client's words; null where they do not say, or not clearly. */
export function readWhen(text: string): When | null {
  const epoch = /limit reached\|(\d{13}|\d{10})\b/i.exec(text)?.[1];
  if (epoch !== undefined) {
    return { kind: "epoch", at: Number(epoch) * (epoch.length === 10 ? 1_000 : 1) };
  }
  const said = SAID.exec(text)?.[1]?.split(/[\n·∙•]|\.\s+(?=[A-Z])/)[0];
  return said === undefined ? null : (readSpan(said) ?? readCalendar(said));
}

const SAID = /\bresets?\b[\s:]*(.*)/is;

function readSpan(said: string): When | null {
  const words = SPAN.exec(said)?.[1];
  if (words === undefined) return null;
  let minutes = 0;
  for (const [, count, unit = ""] of words.matchAll(/(\d+)\s*([a-z])/gi)) {
    minutes += Number(count) * MINUTES[unit.toLowerCase() as keyof typeof MINUTES];
  }
  return { kind: "span", ms: minutes * 60_000 };
}

const SPAN =
  /^in\s+((?:(?:,|and|\s)*\d{1,4}\s*(?:d|days?|h|hrs?|hours?|m|mins?|minutes?)(?![a-z]))+)/i;
const MINUTES = { d: 1_440, h: 60, m: 1 } as const;

function readCalendar(said: string): When | null {
  const clock = CLOCK.exec(said);
  const time = clock === null ? MIDNIGHT : timeOfDay(clock);
  if (time === null) return null;
  const behind = clock === null ? "" : said.slice(clock.index + clock[0].length);
  const zone = zoneIn(said, behind);
  if (zone === UNCLEAR) return null;

  const date = DATE.exec(said)?.groups ?? ISO_DATE.exec(said)?.groups;
  if (date !== undefined) {
    const { year } = date;
    const name = (date["month"] ?? date["month2"] ?? "").toLowerCase();
    const month = Number(date["number"] ?? MONTHS.findIndex((one) => name.startsWith(one)) + 1);
    const day = Number(date["day"] ?? date["day2"]);
    return { kind: "date", year: year === undefined ? null : Number(year), month, day, time, zone };
  }
  const word = WEEKDAY.exec(said)?.[1]?.toLowerCase();
  if (word !== undefined) {
    const weekday = WEEKDAYS.findIndex((one) => word.startsWith(one));
    return { kind: "weekday", weekday, time, zone };
  }
  if (clock === null) return null;
  return { kind: "clock", tomorrow: /\btomorrow\b/i.test(said), time, zone };
}

const MIDNIGHT: TimeOfDay = { hour: 0, minute: 0, second: 0 };

/** `3pm`, `3:30 p.m.`, `14:00`, `9:05:30am`: a bare number is none. */
const CLOCK =
  /(?<![\d:])(?:(\d{1,2})(?::(\d{2})(?::(\d{2}))?)?\s*([ap])(?:m\b|\.m\.?)|(\d{1,2}):(\d{2})(?::(\d{2}))?)/i;

function timeOfDay(found: RegExpExecArray): TimeOfDay | null {
  const [, hour12, minute12, second12, half, hour24, minute24, second24] = found;
  const minute = Number(minute12 ?? minute24 ?? 0);
  const second = Number(second12 ?? second24 ?? 0);
  const hour = Number(hour12 ?? hour24);
  if (minute > 59 || second > 59) return null;
  if (half === undefined) return hour > 23 ? null : { hour, minute, second };
  if (hour < 1 || hour > 12) return null;
  return { hour: (hour % 12) + (half.toLowerCase() === "p" ? 12 : 0), minute, second };
}

/** The zone in brackets, or in capitals behind the time: `(Europe/Berlin)`, `UTC`, `PST`. */
function zoneIn(said: string, behind: string): string | null {
  const named =
    /\(([A-Za-z][\w+\-/]*)\)/.exec(said)?.[1] ??
    /^\s*([A-Z]{1,5}(?:[+-]\S*)?)(?!\w)/.exec(behind)?.[1];
  if (named === undefined) return null;
  return ABBREVIATIONS.get(named) ?? (named.includes("/") ? named : UNCLEAR);
}

/** Several zones share most abbreviations: those of the client's home are taken, others are not guessed. */
const ABBREVIATIONS: ReadonlyMap<string, string> = new Map([
  ...["UTC", "GMT", "Z"].map((name) => [name, "UTC"] as const),
  ...["PT", "PST", "PDT"].map((name) => [name, "America/Los_Angeles"] as const),
  ...["MT", "MST", "MDT"].map((name) => [name, "America/Denver"] as const),
  ...["CT", "CST", "CDT"].map((name) => [name, "America/Chicago"] as const),
  ...["ET", "EST", "EDT"].map((name) => [name, "America/New_York"] as const),
]);
const UNCLEAR = "unclear";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";

/** `Nov 25`, `November 25th, 2026`, `25 Nov 2026`; the day is no hour, and the year no time. */
const DATE = new RegExp(
  `\\b(?:(?<month>${MONTH})\\.?\\s+(?<day>\\d{1,2})(?:st|nd|rd|th)?(?![\\w:])|(?<![:\\d])(?<day2>\\d{1,2})(?:st|nd|rd|th)?\\s+(?<month2>${MONTH})\\b\\.?)(?:,?\\s+(?<year>\\d{4})\\b(?!:))?`,
  "i",
);
const ISO_DATE = /\b(?<year>\d{4})-(?<number>\d{2})-(?<day>\d{2})/;

const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const WEEKDAY =
  /\b(sun(?:day)?|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?)\b/i;
