import { counted } from "../../core/counted.ts";
import { distanceOf } from "../../observers/local-time.ts";
import { machineState } from "../../observers/machine-state.ts";
import { printable } from "../../observers/printable.ts";
import type { SeenMachineJson } from "../api.ts";
import type { StatusLook } from "./status-look.ts";

/** A machine as the page shows it: all of it text that is safe to show. */
export interface MachineRow {
  readonly id: string;
  readonly look: StatusLook;
  readonly pools: string;
  readonly accounts: string;
  /** Runs that it goes on with, of how many it could. */
  readonly slots: string;
  /** Runs whose files it has, and that nobody goes on with now. */
  readonly waiting: string;
  readonly version: string;
}

export function machineRow(machine: SeenMachineJson, now: number): MachineRow {
  const { id, pools, accounts, slots, in_hand: inHand, runs, version } = machine;
  const waiting = Math.max(0, runs - inHand);
  return {
    id: printable(id),
    look: lookOf(machine, now),
    pools: printable(pools.join(", ")),
    accounts: printable(accounts.join(", ")),
    slots: `${String(inHand)} of ${counted(slots, "run")}`,
    waiting: waiting === 0 ? "" : `${counted(waiting, "run")} at home`,
    version: printable(version),
  };
}

function lookOf(
  {
    lives,
    draining,
    in_hand: inHand,
    silent_since: since,
    client_problems: problems,
  }: SeenMachineJson,
  now: number,
): StatusLook {
  const state = machineState({ lives, draining, inHand });
  switch (state) {
    case "gone": {
      const ago = since === null ? "" : `, heard ${distanceOf(Date.parse(since), now)}`;
      return { symbol: "✕", words: `gone${ago}`, tone: "bad" };
    }
    case "draining":
    case "drained":
      return { symbol: "‖", words: state, tone: "warn" };
    case "working":
      return problems === undefined
        ? { symbol: "●", words: "works", tone: "live" }
        : { symbol: "●", words: "works, client unhealthy", tone: "warn" };
  }
}

/** What of its machines the list of a fleet says. */
export function machineWords(machines: readonly SeenMachineJson[]): string {
  const gone = machines.filter(({ lives }) => !lives).length;
  const all = counted(machines.length, "machine");
  return gone === 0 ? all : `${all}, ${String(gone)} gone`;
}
