import { formatUsd, toMicroUsd } from "../../language/basics/money.ts";
import { printRate } from "../../language/basics/rate.ts";
import { localMoment } from "../local-time.ts";

/** The usage of an account of a fleet, as in `raymond fleet limits --json`. */
export interface AccountFigures {
  readonly runs: number;
  readonly max_runs: number | null;
  /** Runs started within the period of the rate. */
  readonly started: number;
  readonly rate: { readonly runs: number; readonly per_s: number } | null;
  /** Running clients. */
  readonly slots: number;
  readonly max_slots: number | null;
  readonly today_usd: number;
  readonly per_day_usd: number | null;
  /** Runs and steps that wait for a limit of the account. */
  readonly waiting: number;
  readonly cooldown: { readonly until: string; readonly message: string } | null;
}

/** The same for people: usage and limit. */
export interface AccountCells {
  readonly runs: string;
  readonly rate: string;
  readonly slots: string;
  readonly today: string;
  /** Why the account starts no prompts; empty if it does. */
  readonly blocked: string;
}

export function accountCells(account: AccountFigures, now: number): AccountCells {
  const { rate, started, today_usd: today, per_day_usd: perDay } = account;
  const span = rate === null ? null : printRate({ runs: rate.runs, ms: rate.per_s * 1_000 });
  return {
    runs: of(account.runs, account.max_runs),
    rate: span === null ? "any" : `${String(started)} of ${span}`,
    slots: of(account.slots, account.max_slots),
    today: perDay === null ? usd(today) : `${usd(today)} of ${usd(perDay)}`,
    blocked: blockReason(account, now),
  };
}

function of(count: number, max: number | null): string {
  return max === null ? String(count) : `${String(count)} of ${String(max)}`;
}

function usd(amount: number): string {
  return formatUsd(toMicroUsd(amount));
}

function blockReason(
  { cooldown, today_usd: today, per_day_usd: perDay }: AccountFigures,
  now: number,
): string {
  if (cooldown !== null) {
    const until = Date.parse(cooldown.until);
    const when = until > now ? `until ${localMoment(until, now)}` : "until a prompt succeeds";
    return `usage limit ${when}: ${cooldown.message}`;
  }
  if (perDay === null || today < perDay) return "";
  return `daily limit of ${usd(perDay)} reached (UTC)`;
}
