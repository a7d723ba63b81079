import { counted } from "../../core/counted.ts";
import { accountCells } from "../../observers/account-cells.ts";
import { printable } from "../../observers/printable.ts";
import type { FleetJson } from "../api.ts";
import { shareOf } from "./share.ts";
import type { StatusLook } from "./status-look.ts";

type Account = FleetJson["accounts"][number];

/** An account as the page shows it: all of it text that is safe to show. */
export interface AccountRow {
  readonly name: string;
  readonly look: StatusLook;
  /** What of each is used, and its limit. */
  readonly figures: readonly Figure[];
  /** What keeps its prompts from beginning; empty where nothing does. */
  readonly kept: string;
  /** How many wait; empty where nobody does. */
  readonly waiting: string;
  /** Ids of runs that wait, as they are; some. */
  readonly waiters: readonly string[];
}

export interface Figure {
  readonly label: string;
  readonly text: string;
  readonly share: number | null;
}

export function accountRow(account: Account, now: number): AccountRow {
  const { runs, rate, slots, today, kept } = accountCells(account, now);
  const { max_runs, max_slots, per_day_usd, waiting } = account;
  return {
    name: printable(account.account),
    look: lookOf(account, kept),
    figures: [
      { label: "Runs", text: runs, share: shareOf(account.runs, max_runs) },
      { label: "Begun", text: rate, share: shareOf(account.begun, account.rate?.runs ?? null) },
      { label: "Clients", text: slots, share: shareOf(account.slots, max_slots) },
      { label: "Today", text: today, share: shareOf(account.today_usd, per_day_usd) },
    ],
    kept: printable(kept),
    waiting: waiting === 0 ? "" : `${String(waiting)} waiting`,
    waiters: account.waiting_runs,
  };
}

function lookOf({ machines, cooldown }: Account, kept: string): StatusLook {
  if (machines.length === 0) return { symbol: "✕", words: "no worker has it", tone: "bad" };
  if (cooldown !== null) return { symbol: "◔", words: "cooling down", tone: "warn" };
  if (kept !== "") return { symbol: "$", words: "day used up", tone: "warn" };
  return { symbol: "●", words: `on ${counted(machines.length, "machine")}`, tone: "live" };
}
