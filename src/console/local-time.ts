/** `2026-11-21 15:04:05` in the local time zone. */
export function localTime(ms: number): string {
  const date = dateOf(ms);
  if (date === null) return UNKNOWN;
  return `${localDay(date)} ${hours(date)}:${two(date.getSeconds())}`;
}

/** `today 15:04`, `yesterday 22:05`, `21 Nov 22:05`. */
export function localMoment(ms: number, now: number): string {
  const date = dateOf(ms);
  const today = dateOf(now);
  if (date === null || today === null) return UNKNOWN;
  return `${dayName(date, today)} ${hours(date)}`;
}

/** The distance of a time from now, in its largest unit: `5 h ago`, `in 12 min`, `just now`. */
export function distanceOf(ms: number, now: number): string {
  const away = Math.abs(now - ms);
  if (Number.isNaN(away)) return UNKNOWN;
  if (away < 60_000) return ms <= now ? "just now" : "in a moment";
  const [count, unit] = largest(away);
  const text = `${String(count)} ${unit}`;
  return ms <= now ? `${text} ago` : `in ${text}`;
}

/** The offset of the local time zone at this time: `GMT+1`, `GMT-3:30`, `UTC`. `Intl` would take 10 ms for the name. */
export function zoneName(ms: number): string {
  const ahead = -(dateOf(ms) ?? new Date(0)).getTimezoneOffset();
  if (ahead === 0) return "UTC";
  const minutes = Math.abs(ahead) % 60;
  const away = `${String(Math.floor(Math.abs(ahead) / 60))}${minutes === 0 ? "" : `:${two(minutes)}`}`;
  return `GMT${ahead < 0 ? "-" : "+"}${away}`;
}

const UNKNOWN = "an unknown time";
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Null for a time out of range. */
function dateOf(ms: number): Date | null {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? null : date;
}

function largest(ms: number): readonly [count: number, unit: string] {
  if (ms < HOUR - MINUTE / 2) return [Math.round(ms / MINUTE), "min"];
  if (ms < 2 * DAY) return [Math.round(ms / HOUR), "h"];
  return [Math.round(ms / DAY), "days"];
}

function dayName(date: Date, today: Date): string {
  // Calendar days: a day may have 23 hours.
  const days = Math.round((midnight(date) - midnight(today)) / DAY);
  if (days === 0) return "today";
  if (days === -1) return "yesterday";
  if (days === 1) return "tomorrow";
  if (date.getFullYear() !== today.getFullYear()) return localDay(date);
  return `${String(date.getDate())} ${MONTHS[date.getMonth()] ?? ""}`;
}

function midnight(date: Date): number {
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
}

function localDay(date: Date): string {
  return `${String(date.getFullYear())}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function hours(date: Date): string {
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

function two(n: number): string {
  return String(n).padStart(2, "0");
}
