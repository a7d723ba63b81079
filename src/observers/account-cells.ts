import { formatUsd, toMicroUsd } from "../core/money.ts";
import { printRate } from "../core/rate.ts";
import { localMoment } from "./local-time.ts";

/** How an account of a fleet stands: figures that `raymond limits --json` prints. */
export interface AccountFigures {
  readonly runs: number;
  readonly max_runs: number | null;
  /** Runs that have begun within the span of its rate. */
  readonly begun: number;
  readonly rate: { readonly runs: number; readonly per_s: number } | null;
  /** Clients that run. */
  readonly slots: number;
  readonly max_slots: number | null;
  readonly today_usd: number;
  readonly per_day_usd: number | null;
  /** Runs and steps that wait for one of these. */
  readonly waiting: number;
  readonly cooldown: { readonly until: string; readonly message: string } | null;
}

/** The same for people: each figure with its limit. */
export interface AccountCells {
  readonly runs: string;
  readonly rate: string;
  readonly slots: string;
  readonly today: string;
  /** What keeps its prompts from beginning, as a clause; empty where nothing does. */
  readonly kept: string;
}

export function accountCells(account: AccountFigures, now: number): AccountCells {
  const { rate, begun, today_usd: today, per_day_usd: perDay } = account;
  const span = rate === null ? null : printRate({ runs: rate.runs, ms: rate.per_s * 1_000 });
  return {
    runs: of(account.runs, account.max_runs),
    rate: span === null ? "any" : `${String(begun)} of ${span}`,
    slots: of(account.slots, account.max_slots),
    today: perDay === null ? usd(today) : `${usd(today)} of ${usd(perDay)}`,
    kept: keptBy(account, now),
  };
}

function of(count: number, most: number | null): string {
  return most === null ? String(count) : `${String(count)} of ${String(most)}`;
}

function usd(amount: number): string {
  return formatUsd(toMicroUsd(amount));
}

function keptBy(
  { cooldown, today_usd: today, per_day_usd: perDay }: AccountFigures,
  now: number,
): string {
  if (cooldown !== null) {
    const until = Date.parse(cooldown.until);
    const when =
      until > now ? `until ${localMoment(until, now)}` : "until a first prompt gets through";
    return `usage limit ${when}: ${cooldown.message}`;
  }
  if (perDay === null || today < perDay) return "";
  return `the ${usd(perDay)} of this day (UTC) are used up`;
}
