import { type MicroUsd, toMicroUsd, toUsd } from "../core/money.ts";

/** The last moment that ISO 8601 can say in four digits of a year. */
const LAST_MOMENT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Micro-dollars as dollars. Throws for what JSON would silently turn into `null`. */
export function printUsd(microUsd: MicroUsd): number {
  return toUsd(finite(microUsd));
}

/** Dollars as micro-dollars: exact for what {@link printUsd} has made. */
export function parseUsd(usd: number): MicroUsd {
  return toMicroUsd(usd);
}

/** Milliseconds as seconds. */
export function printSeconds(ms: number): number {
  return finite(ms) / 1000;
}

/** Seconds as whole milliseconds. */
export function parseSeconds(seconds: number): number {
  return Math.round(seconds * 1000);
}

/**
 * Epoch ms as ISO 8601 in UTC. What lies beyond the year 9999, for a client
 * may say any number, becomes the end of that year.
 */
export function printMoment(ms: number): string {
  return new Date(Math.min(Math.max(Math.round(finite(ms)), 0), LAST_MOMENT)).toISOString();
}

/** ISO 8601 as epoch ms. */
export function parseMoment(text: string): number {
  return Date.parse(text);
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new Error(`${String(value)} cannot be saved as a number`);
  return value;
}
