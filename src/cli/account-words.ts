import { formatUsd } from "../core/money.ts";
import { printRate, type Rate, type SeenAccount } from "../fleet/limits.ts";
import { localMoment } from "../observers/local-time.ts";

/** So many of those that there may be. */
export function of(count: number, most: number | null, rate: Rate | null = null): string {
  if (rate !== null) return `${String(count)} of ${printRate(rate)}`;
  return most === null ? String(count) : `${String(count)} of ${String(most)}`;
}

/** What keeps an account, as a clause; empty where nothing does. */
export function accountWords(
  { cooldown, todayMicroUsd, waiting, limits: { perDayMicroUsd } }: SeenAccount,
  now: number,
): string {
  const waits = waiting === 0 ? "" : `${String(waiting)} wait`;
  if (cooldown !== null) {
    const until = cooldown.until.getTime();
    const when =
      until > now ? `until ${localMoment(until, now)}` : "until a first prompt gets through";
    return [waits, `usage limit ${when}: ${cooldown.message}`].filter(Boolean).join("; ");
  }
  if (perDayMicroUsd !== null && todayMicroUsd >= perDayMicroUsd) {
    return [waits, `the ${formatUsd(perDayMicroUsd)} of this day (UTC) are used up`]
      .filter(Boolean)
      .join("; ");
  }
  return waits;
}
