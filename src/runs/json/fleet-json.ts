import type { FleetMachine, RunPlace } from "../fleet-board.ts";
import type { MachineJson, PlaceJson } from "./shapes.ts";

/** Where a run of a fleet is. */
export function placeJson(place: RunPlace): PlaceJson {
  const { waitsFor: waits_for, setAside: set_aside, ...same } = place;
  const { pool, account, home, pinned, workspace } = same;
  return { pool, account, home, pinned, workspace, waits_for, set_aside };
}

/** A machine of a fleet. */
export function machineJson(machine: FleetMachine): MachineJson {
  const { id, lives, draining, heardAt, pools, accounts, slots, inHand, runs, version } = machine;
  return {
    ...{ id, lives, draining, pools, accounts, slots, in_hand: inHand, runs, version },
    heard_at: heardAt?.toISOString() ?? null,
  };
}
