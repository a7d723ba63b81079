import type { RunId } from "../core/machine/run-state.ts";
import type { Caller } from "../runs/caller.ts";
import { stop } from "../runs/stop.ts";
import { nameRun } from "../runs/wire/stores.ts";
import { type SeenMachine, seenMachines, setDraining } from "../stores/postgres/machines.ts";
import { findPlacement, runsAt } from "../stores/postgres/placed-runs.ts";
import { isTied, type MachineId } from "../stores/postgres/placement.ts";
import {
  AccountElsewhereError,
  NobodyToRunError,
  NotMovableError,
  NotSubmittedError,
} from "./errors.ts";
import type { OpenFleet } from "./open.ts";
import { resumeInFleet } from "./resume.ts";

/** What a drained machine had in hand. */
export interface Drained {
  /** Runs that other machines of their pools go on with. */
  readonly moved: readonly RunId[];
  /** Runs that it goes on with until they end, for their files are only there or nobody said that they move. */
  readonly left: readonly RunId[];
}

/** Lets a machine take no more runs; `move`: and has others go on with those that can travel. */
export async function drain(
  machine: MachineId,
  move: boolean,
  fleet: OpenFleet,
  caller: Caller,
): Promise<Drained> {
  await requireMachine(machine, fleet);
  await setDraining(fleet.database, machine, true);
  const runs = await runsAt(fleet.database, machine);
  const moving = move ? runs.filter((run) => !isTied(run)) : [];
  for (const { id } of moving) await goElsewhere(id, null, fleet, caller);
  const moved = moving.map(({ id }) => id);
  return { moved, left: runs.flatMap(({ id }) => (moved.includes(id) ? [] : id)) };
}

/** Lets it take runs again. */
export async function endDrain(machine: MachineId, fleet: OpenFleet): Promise<void> {
  await requireMachine(machine, fleet);
  await setDraining(fleet.database, machine, false);
}

/** A run that another machine is to go on with. */
export interface Moved {
  readonly run: RunId;
  /** Why it waits in the queue of that machine; null where that takes runs. */
  readonly waits: "gone" | "drained" | null;
}

/** Has another machine go on with a run. Rejects with a {@link NotMovableError} where its files are only at its home. */
export async function move(
  wanted: string,
  to: MachineId,
  fleet: OpenFleet,
  caller: Caller,
): Promise<Moved> {
  const machines = await requireMachine(to, fleet);
  const { id } = await nameRun({ run: wanted }, { ...caller, fleet });
  const row = await findPlacement(fleet.database, id);
  if (row === null) throw new NotSubmittedError(id);
  const { account } = row.placement;
  const having = machines.filter(({ accounts }) => account === null || accounts.includes(account));
  if (account !== null && !having.some((machine) => machine.id === to)) {
    throw new AccountElsewhereError(
      account,
      `the machine ${to}`,
      having.map((each) => each.id),
    );
  }
  if (isTied(row) && row.home !== to) throw new NotMovableError(id, row.home);
  const run = await goElsewhere(id, to, fleet, caller);
  return { run, waits: whyNotTaken(machines.find((machine) => machine.id === to)) };
}

function whyNotTaken(machine: SeenMachine | undefined): Moved["waits"] {
  if (machine?.lives !== true) return "gone";
  return machine.draining ? "drained" : null;
}

/** Its steps in flight are interrupted, and begin again there. */
async function goElsewhere(
  id: RunId,
  to: MachineId | null,
  fleet: OpenFleet,
  caller: Caller,
): Promise<RunId> {
  await stop({ run: id }, { ...caller, fleet });
  return resumeInFleet({ run: id, to }, fleet, caller);
}

/** Resolves with all of them. */
async function requireMachine(machine: MachineId, { database }: OpenFleet) {
  const machines = await seenMachines(database);
  const known = machines.map(({ id }) => id);
  if (!known.includes(machine)) throw new NobodyToRunError("machine", machine, known);
  return machines;
}
