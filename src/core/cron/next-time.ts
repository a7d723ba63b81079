import type { Cron } from "./cron.ts";

/**
 * The first moment behind `after` at which it is due, epoch ms, by the clocks of a time zone. A time of a day that
 * its clocks leave out comes as much later as they were put forward; of one that comes twice the first counts.
 */
export function nextTime(cron: Cron, after: number, zone: string): number {
  const shown = clockOf(zone);
  const today = Math.floor(shown(after) / DAY_MS) * DAY_MS;
  // Two leap days may be eight years apart.
  for (let days = 0; days <= 9 * 366; days += 1) {
    const day = today + days * DAY_MS;
    if (!isDay(cron, new Date(day))) continue;
    for (const hour of cron.hours) {
      for (const minute of cron.minutes) {
        const moment = momentOf(day + hour * HOUR_MS + minute * MINUTE_MS, shown);
        if (moment > after) return moment;
      }
    }
  }
  throw new Error("a schedule that is never due was read");
}

/** Whether there is a time zone of this name. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** As cron has it: where days of the month and of the week are named, one of both is enough. */
function isDay({ days, months, weekdays }: Cron, date: Date): boolean {
  if (!months.includes(date.getUTCMonth() + 1)) return false;
  const fits = [days?.includes(date.getUTCDate()), weekdays?.includes(date.getUTCDay())];
  const said = fits.filter((one) => one !== undefined);
  return said.length === 0 || said.includes(true);
}

/** What the clocks of a zone show at a moment: the moment at which those of UTC do, epoch ms. */
type ShownTime = (moment: number) => number;

function clockOf(zone: string): ShownTime {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    ...{ year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  });
  return (moment) => {
    const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, value]));
    const of = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
    return Date.UTC(
      ...([of("year"), of("month") - 1, of("day"), of("hour")] as const),
      ...([of("minute"), of("second")] as const),
    );
  };
}

/** The first moment at which the clocks show this; where they leave it out, what they would have shown before. */
function momentOf(wanted: number, shown: ShownTime): number {
  const ahead = (moment: number) => shown(moment) - moment;
  const before = wanted - ahead(wanted - DAY_MS);
  const behind = wanted - ahead(wanted + DAY_MS);
  return shown(before) !== wanted && shown(behind) === wanted ? behind : before;
}
