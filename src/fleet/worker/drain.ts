import { setTimeout as delay } from "node:timers/promises";
import type { RunId } from "../../machine/model/run-state.ts";
import type { Caller } from "../../wire/caller.ts";
import { nameRun } from "../../wire/stores.ts";
import type { OpenFleet } from "../admin/open.ts";
import { fleetErrors } from "../errors.ts";
import { listMachines, type MachineStatus, setDraining } from "../lease/machines.ts";
import { recordAudit } from "../store/audit.ts";
import {
  type MoveOutcome,
  moveOutcomes,
  requestMove,
  requestMovesFrom,
} from "../store/rows/moves.ts";
import { findPlacement, runsAt } from "../store/rows/placed-runs.ts";
import { isTied, type MachineId } from "../store/rows/placement.ts";
import { resumeInFleet } from "./resume.ts";
import { finishMoves } from "./runs/requeue.ts";

export interface Drained {
  /** Requeued for other machines of their pools. */
  readonly moved: readonly RunId[];
  /** Completed before they could be moved. */
  readonly completed: readonly RunId[];
  /** Their move is requested, and their worker has not released them yet. */
  readonly requested: readonly RunId[];
  /** They stay until they end: their files are only there, or no move was requested. */
  readonly left: readonly RunId[];
}

/** Stops a machine from claiming runs. `move`: also moves its runs, unless their files are only there. */
export async function drain(
  machine: MachineId,
  move: boolean,
  fleet: OpenFleet,
  caller: Pick<Caller, "actor">,
): Promise<Drained> {
  const { database } = fleet;
  await requireMachine(machine, fleet);
  const detail = `${machine}${move ? " --move" : ""}`;
  await recordAudit(database, { action: "drain", run: null, actor: caller.actor(), detail });
  await setDraining(database, machine, true);
  const moving = move ? await requestMovesFrom(database, machine) : [];
  const outcomes = await awaitMoves(moving, fleet);
  const having = (outcome: MoveOutcome) => moving.filter((id) => outcomes.get(id) === outcome);
  const there = await runsAt(database, machine);
  return {
    ...{ moved: having("moved"), completed: having("completed"), requested: having("requested") },
    left: there.flatMap(({ id }) => (moving.includes(id) ? [] : id)),
  };
}

/** Returns a machine to service. Resolves with whether it has a live worker. */
export async function endDrain(
  machine: MachineId,
  fleet: OpenFleet,
  caller: Pick<Caller, "actor">,
): Promise<boolean> {
  const machines = await requireMachine(machine, fleet);
  const entry = { action: "end-drain", run: null, actor: caller.actor(), detail: machine } as const;
  await recordAudit(fleet.database, entry);
  await setDraining(fleet.database, machine, false);
  return machines.some(({ id, lives }) => id === machine && lives);
}

export interface Moved {
  readonly run: RunId;
  readonly outcome: MoveOutcome;
  /** Why the new machine does not claim the run yet; null if it does. */
  readonly waits: "gone" | "drained" | null;
}

/**
 * Moves a run to another machine, where its steps in flight start again. Rejects with `fleet/not-movable` if its files
 * are only on its home.
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
  const suitable = machines.filter(
    ({ accounts }) => account === null || accounts.includes(account),
  );
  if (account !== null && !suitable.some((machine) => machine.id === to)) {
    const names = suitable.map((machine) => machine.id);
    throw fleetErrors["fleet/account-elsewhere"](account, `on machine ${to}`, names);
  }
  if (isTied(row) && row.home !== to) throw fleetErrors["fleet/not-movable"](id, row.home);
  const entry = { action: "move", run: id, actor: caller.actor(), detail: to } as const;
  await recordAudit(fleet.database, entry);
  const waits = whyNotClaimed(machines.find((machine) => machine.id === to));
  if (await requestMove(fleet.database, id, to)) {
    const outcomes = await awaitMoves([id], fleet);
    return { run: id, waits, outcome: outcomes.get(id) ?? "completed" };
  }
  // The run has stopped.
  return { run: await resumeInFleet({ run: id, to }, fleet, caller), waits, outcome: "moved" };
}

function whyNotClaimed(machine: MachineStatus | undefined): Moved["waits"] {
  if (machine?.lives !== true) return "gone";
  return machine.draining ? "drained" : null;
}

/** Waits for requested moves, and completes those of runs that no process holds. */
async function awaitMoves(
  ids: readonly RunId[],
  { database, queues }: OpenFleet,
): Promise<ReadonlyMap<RunId, MoveOutcome>> {
  if (ids.length === 0) return new Map();
  const fleet = { database, queues: await queues() };
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    await finishMoves(ids, fleet);
    const outcomes = await moveOutcomes(database, ids);
    const isPending = [...outcomes.values()].includes("requested");
    if (!isPending || performance.now() > deadline) return outcomes;
    await delay(POLL_MS);
  }
}

const POLL_MS = 250;
/** An interrupted step ends within seconds, and the lease of a worker that hangs within its `--ttl`. */
const TIMEOUT_MS = 90_000;

/** Resolves with all machines. */
async function requireMachine(
  machine: MachineId,
  { database }: OpenFleet,
): Promise<readonly MachineStatus[]> {
  const machines = await listMachines(database);
  const ids = machines.map(({ id }) => id);
  if (!ids.includes(machine)) throw fleetErrors["fleet/unknown-name"]("machine", machine, ids);
  return machines;
}
