/** When something is due again and again: the five fields of cron. */
export interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** Of a month; null: any. */
  readonly days: readonly number[] | null;
  readonly months: readonly number[];
  /** 0 is Sunday; null: any. Where days are named as well, one of both is enough. */
  readonly weekdays: readonly number[] | null;
}

export type ReadCron =
  | { readonly ok: true; readonly cron: Cron }
  /** What is wrong, as a clause that follows the quoted expression. */
  | { readonly ok: false; readonly problem: string };

/** Reads an expression of cron: five fields, or a word such as `@daily`. */
export function parseCron(text: string): ReadCron {
  const written = text.trim();
  const meant = WORDS.get(written.toLowerCase()) ?? written;
  const fields = meant.split(/\s+/);
  if (meant.startsWith("@")) return no(`is none of the words ${[...WORDS.keys()].join(", ")}`);
  if (fields.length !== FIELDS.length) {
    return no(`has not five fields: ${FIELDS.map(({ name }) => name).join(", ")}`);
  }
  const read = FIELDS.map((field, at) => valuesOf(fields[at] ?? "", field));
  const problem = read.find((one) => typeof one === "string");
  if (typeof problem === "string") return no(problem);
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] =
    read as readonly (readonly number[])[];
  const cron = {
    minutes,
    hours,
    days: fields[2] === "*" ? null : days,
    months,
    // 7 is Sunday as well.
    weekdays: fields[4] === "*" ? null : sorted(weekdays.map((day) => day % 7)),
  };
  const comes = cron.days === null || cron.weekdays !== null || months.some(hasDay(days));
  return comes ? { ok: true, cron } : no("names days that never come");
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ["@hourly", "0 * * * *"],
  ["@daily", "0 0 * * *"],
  ["@weekly", "0 0 * * 0"],
  ["@monthly", "0 0 1 * *"],
  ["@yearly", "0 0 1 1 *"],
]);

interface Field {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Its values by their names, the first being `from`. */
  readonly names?: readonly string[];
}

const FIELDS: readonly Field[] = [
  { name: "minute", from: 0, to: 59 },
  { name: "hour", from: 0, to: 23 },
  { name: "day of the month", from: 1, to: 31 },
  {
    name: "month",
    from: 1,
    to: 12,
    names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  },
  {
    name: "day of the week",
    from: 0,
    to: 7,
    names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
  },
];

/** The values of a field, or what is wrong with it. */
function valuesOf(text: string, field: Field): readonly number[] | string {
  const values: number[] = [];
  for (const part of text.split(",")) {
    const range = rangeOf(part, field);
    if (range === null) {
      return `has "${text}" for the ${field.name}, which is ${String(field.from)} to ${String(field.to)}, as in 1,5 or 1-5 or */2`;
    }
    for (let value = range.from; value <= range.to; value += range.step) values.push(value);
  }
  return sorted(values);
}

function rangeOf(part: string, field: Field) {
  const [, first = "", last, every] = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(part) ?? [];
  const from = first === "*" ? field.from : valueIn(first, field);
  const open = first === "*" || (last === undefined && every !== undefined);
  const to = last === undefined ? (open ? field.to : from) : valueIn(last, field);
  const step = every === undefined ? 1 : Number(every);
  const isRange = from !== null && to !== null && from <= to && step > 0;
  return isRange && !(first === "*" && last !== undefined) ? { from, to, step } : null;
}

function valueIn(word: string, { from, to, names = [] }: Field): number | null {
  const named = names.indexOf(word.toLowerCase());
  if (named >= 0) return from + named;
  const value = /^\d{1,2}$/.test(word) ? Number(word) : Number.NaN;
  return value >= from && value <= to ? value : null;
}

/** Whether one of these days is in a month, of a leap year. */
function hasDay(days: readonly number[]): (month: number) => boolean {
  return (month) => days.some((day) => day <= new Date(Date.UTC(2000, month, 0)).getUTCDate());
}

function sorted(values: readonly number[]): readonly number[] {
  return [...new Set(values)].toSorted((a, b) => a - b);
}

function no(problem: string): ReadCron {
  return { ok: false, problem };
}
