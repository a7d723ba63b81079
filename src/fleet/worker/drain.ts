import { setTimeout as delay } from "node:timers/promises";
import type { RunId } from "../../machine/run-state.ts";
import type { Caller } from "../../wire/caller.ts";
import { nameRun } from "../../wire/stores.ts";
import type { OpenFleet } from "../admin/open.ts";
import { fleetErrors } from "../errors.ts";
import { listMachines, type MachineStatus, setDraining } from "../lease/machines.ts";
import {
  type MoveOutcome,
  moveOutcomes,
  requestMove,
  requestMovesFrom,
} from "../store/rows/moves.ts";
import { findPlacement, runsAt } from "../store/rows/placed-runs.ts";
import { isTied, type MachineId } from "../store/rows/placement.ts";
import { resumeInFleet } from "./resume.ts";
import { finishMoves } from "./runs/moves.ts";

/** What became of the runs of a machine that is drained. */
export interface Drained {
  /** Runs that other machines of their pools resume. */
  readonly moved: readonly RunId[];
  /** Runs that completed before they could be moved. */
  readonly completed: readonly RunId[];
  /** Runs whose move is requested, and whose worker has not released them yet. */
  readonly requested: readonly RunId[];
  /** Runs that stay on the machine until they end: their files are only there, or no move was requested. */
  readonly left: readonly RunId[];
}

/** Lets a machine claim no more runs; `move`: and moves those whose files are not only there to other machines. */
export async function drain(machine: MachineId, move: boolean, fleet: OpenFleet): Promise<Drained> {
  const { database } = fleet;
  await requireMachine(machine, fleet);
  await setDraining(database, machine, true);
  const moving = move ? await requestMovesFrom(database, machine) : [];
  const outcomes = await untilMoved(moving, fleet);
  const became = (wanted: MoveOutcome) => moving.filter((id) => outcomes.get(id) === wanted);
  const there = await runsAt(database, machine);
  return {
    ...{ moved: became("moved"), completed: became("completed"), requested: became("requested") },
    left: there.flatMap(({ id }) => (moving.includes(id) ? [] : id)),
  };
}

/** Returns it to service. Resolves with whether its worker lives. */
export async function endDrain(machine: MachineId, fleet: OpenFleet): Promise<boolean> {
  const machines = await requireMachine(machine, fleet);
  await setDraining(fleet.database, machine, false);
  return machines.some(({ id, lives }) => id === machine && lives);
}

/** A run that another machine is to resume. */
export interface Moved {
  readonly run: RunId;
  readonly outcome: MoveOutcome;
  /** Why it waits in the queue of that machine; null where that claims runs. */
  readonly waits: "gone" | "drained" | null;
}

/**
 * Moves a run to another machine. Its steps in flight are interrupted, and start again there. Rejects with a
 * `fleet/not-movable` where its files are only at its home.
 */
export async function move(
  wanted: string,
  to: MachineId,
  fleet: OpenFleet,
  caller: Caller,
): Promise<Moved> {
  const machines = await requireMachine(to, fleet);
  const { id } = await nameRun({ run: wanted }, { ...caller, fleet });
  const row = await findPlacement(fleet.database, id);
  if (row === null) throw fleetErrors["fleet/not-submitted"](id);
  const { account } = row.placement;
  const having = machines.filter(({ accounts }) => account === null || accounts.includes(account));
  if (account !== null && !having.some((machine) => machine.id === to)) {
    throw fleetErrors["fleet/account-elsewhere"](
      account,
      `on machine ${to}`,
      having.map((each) => each.id),
    );
  }
  if (isTied(row) && row.home !== to) throw fleetErrors["fleet/not-movable"](id, row.home);
  const waits = whyNotClaimed(machines.find((machine) => machine.id === to));
  if (await requestMove(fleet.database, id, to)) {
    const outcomes = await untilMoved([id], fleet);
    return { run: id, waits, outcome: outcomes.get(id) ?? "completed" };
  }
  // One that has stopped: it is resumed there.
  return { run: await resumeInFleet({ run: id, to }, fleet, caller), waits, outcome: "moved" };
}

function whyNotClaimed(machine: MachineStatus | undefined): Moved["waits"] {
  if (machine?.lives !== true) return "gone";
  return machine.draining ? "drained" : null;
}

/** Waits until the requested moves are finished, and finishes those of runs that no process holds. */
async function untilMoved(
  ids: readonly RunId[],
  { database, queues }: OpenFleet,
): Promise<ReadonlyMap<RunId, MoveOutcome>> {
  if (ids.length === 0) return new Map();
  const fleet = { database, queues: await queues() };
  for (const began = performance.now(); ; ) {
    await finishMoves(ids, fleet);
    const outcomes = await moveOutcomes(database, ids);
    const isLate = performance.now() - began > LONGEST_MS;
    if (isLate || ![...outcomes.values()].includes("requested")) return outcomes;
    await delay(POLL_MS);
  }
}

const POLL_MS = 250;
/** A step that is interrupted ends within seconds, and the lease of a worker that hangs within its `--ttl`. */
const LONGEST_MS = 90_000;

/** Resolves with all of them. */
async function requireMachine(machine: MachineId, { database }: OpenFleet) {
  const machines = await listMachines(database);
  const known = machines.map(({ id }) => id);
  if (!known.includes(machine)) throw fleetErrors["fleet/nobody-there"]("machine", machine, known);
  return machines;
}
