import { distanceOf } from "../../../console/local-time.ts";
import { counted } from "../../../language/basics/counted.ts";
import { machineState } from "../../../log/machine-state.ts";
import { printable } from "../../../log/printable.ts";
import type { ListedMachineJson } from "../../api.ts";
import type { StatusLook } from "./status-look.ts";

/** A machine on the page. All texts are safe to display. */
export interface MachineRow {
  readonly id: string;
  readonly look: StatusLook;
  readonly pools: string;
  readonly accounts: string;
  /** Active runs and the maximum. */
  readonly slots: string;
  /** Inactive runs with files on this machine; empty if there are none. */
  readonly waiting: string;
  readonly version: string;
}

export function machineRow(machine: ListedMachineJson, now: number): MachineRow {
  const { id, pools, accounts, slots, in_hand: activeRuns, runs, version } = machine;
  const waiting = Math.max(0, runs - activeRuns);
  return {
    id: printable(id),
    look: lookOf(machine, now),
    pools: printable(pools.join(", ")),
    accounts: printable(accounts.join(", ")),
    slots: `${String(activeRuns)} of ${counted(slots, "run")}`,
    waiting: waiting === 0 ? "" : counted(waiting, "inactive run"),
    version: printable(version),
  };
}

function lookOf(
  {
    lives,
    draining,
    in_hand: activeRuns,
    silent_since: since,
    client_problems: problems,
  }: ListedMachineJson,
  now: number,
): StatusLook {
  const state = machineState({ lives, draining, activeRuns });
  switch (state) {
    case "gone": {
      const ago = since === null ? "" : `, last heartbeat ${distanceOf(Date.parse(since), now)}`;
      return { symbol: "✕", words: `gone${ago}`, tone: "bad" };
    }
    case "draining":
    case "drained":
      return { symbol: "‖", words: state, tone: "warn" };
    case "working":
      return problems === undefined
        ? { symbol: "●", words: "working", tone: "live" }
        : { symbol: "●", words: "working, client unhealthy", tone: "warn" };
  }
}

/** The number of machines, and how many of them are gone. */
export function machineCount(machines: readonly ListedMachineJson[]): string {
  const gone = machines.filter(({ lives }) => !lives).length;
  const all = counted(machines.length, "machine");
  return gone === 0 ? all : `${all}, ${String(gone)} gone`;
}
