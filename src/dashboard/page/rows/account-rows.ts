import { accountCells } from "../../../console/format/account-cells.ts";
import { counted } from "../../../language/basics/counted.ts";
import { printable } from "../../../log/printable.ts";
import type { FleetJson } from "../../api.ts";
import { shareOf } from "./share.ts";
import type { StatusLook } from "./status-look.ts";

type Account = FleetJson["accounts"][number];

/** An account on the page. All texts are safe to display. */
export interface AccountRow {
  readonly name: string;
  readonly look: StatusLook;
  /** Usage and limits. */
  readonly figures: readonly Figure[];
  /** Why its prompts cannot start; empty if they can. */
  readonly blocked: string;
  /** The number of waiting runs; empty if there are none. */
  readonly waiting: string;
  /** Ids of some waiting runs, unescaped. */
  readonly waiters: readonly string[];
}

export interface Figure {
  readonly label: string;
  readonly text: string;
  readonly share: number | null;
}

export function accountRow(account: Account, now: number): AccountRow {
  const { runs, rate, slots, today, blocked } = accountCells(account, now);
  const { max_runs, max_slots, per_day_usd, waiting } = account;
  return {
    name: printable(account.account),
    look: lookOf(account, blocked),
    figures: [
      { label: "Runs", text: runs, share: shareOf(account.runs, max_runs) },
      { label: "Started", text: rate, share: shareOf(account.begun, account.rate?.runs ?? null) },
      { label: "Clients", text: slots, share: shareOf(account.slots, max_slots) },
      { label: "Today", text: today, share: shareOf(account.today_usd, per_day_usd) },
    ],
    blocked: printable(blocked),
    waiting: waiting === 0 ? "" : `${String(waiting)} waiting`,
    waiters: account.waiting_runs,
  };
}

function lookOf({ machines, cooldown }: Account, blocked: string): StatusLook {
  if (machines.length === 0) return { symbol: "✕", words: "no worker", tone: "bad" };
  if (cooldown !== null) return { symbol: "◔", words: "cooling down", tone: "warn" };
  if (blocked !== "") return { symbol: "$", words: "daily budget used up", tone: "warn" };
  return { symbol: "●", words: `on ${counted(machines.length, "machine")}`, tone: "live" };
}
