import type { Clock } from "../../engine/ports/clock.ts";
import { deleteStaleHolders } from "../lease/holders.ts";
import { deadMachines } from "../lease/machines.ts";
import type { Dispatched, Queues } from "../queue/queues.ts";
import { enqueueRun } from "../queue/queues.ts";
import type { Database } from "../store/database.ts";
import {
  type PlacementRow,
  placementsOf,
  runsAt,
  unqueuedRuns,
} from "../store/rows/placed-runs.ts";
import { isTied, type MachineId, placementVerdict } from "../store/rows/placement.ts";
import { failOver } from "./runs/fail-over.ts";
import { finishMoves } from "./runs/moves.ts";

/*
 * What else would wait for ever, every worker looks for:
 *
 * X1  A run at home on a machine that is gone, and that may be elsewhere.
 * X2  A run that a machine was handed, and died before it was at home there.
 * X3  A run that this machine was handed, and never heard of: the answer of the database was lost.
 * X4  A run that was to be put into a queue by somebody who died before that.
 * X5  A run whose move was requested, and that no process holds any more.
 *
 * Two that look at the same time do no harm: a run is handed over by one of them, and enqueued once.
 */

interface Reaping {
  readonly database: Database;
  readonly queues: Queues;
  /** This one. */
  readonly machine: MachineId;
  /** What this machine was handed and has heard of, by the names of DBOS. */
  readonly dispatched: ReadonlySet<string>;
  readonly clock: Clock;
  readonly ttlMs: number;
  readonly until: AbortSignal;
  readonly log: (line: string) => void;
}

/** Hands runs over whose machine is gone, as far as they may be elsewhere, and forgets processes that are long gone. Never rejects. */
export async function runReaper(of: Reaping): Promise<void> {
  const { ttlMs, until, clock } = of;
  let scan: DispatchScan = { seen: 0, unknown: new Set() };
  let scanDue = Number.NEGATIVE_INFINITY;
  let swept = Number.NEGATIVE_INFINITY;
  while (!until.aborted) {
    if (clock.elapsed() - swept > SWEEP_MS) {
      await deleteStaleHolders(of.database).catch(() => undefined);
      swept = clock.elapsed();
    }
    await reapHomes(of).catch(() => undefined);
    await finishRequestedMoves(of).catch(() => undefined);
    await enqueueForgotten(of).catch(() => undefined);
    if (clock.elapsed() >= scanDue) {
      scan = await reapDispatched(of, scan.unknown).catch(() => ({ seen: 0, unknown: new Set() }));
      scanDue = clock.elapsed() + scan.seen * SCAN_MS_PER_RUN;
    }
    await clock.sleep((ttlMs / 6) * (0.5 + Math.random()), until);
  }
}

/** Between two looks for rows of the dead, ms. */
const SWEEP_MS = 3_600_000;

/**
 * Pause before the next check of dispatched runs, per run, ms: it bounds the load with thousands
 * of runs.
 */
const SCAN_MS_PER_RUN = 10;

/** X1 */
async function reapHomes(of: Reaping): Promise<void> {
  const { database, machine, log } = of;
  for (const dead of await deadMachines(database, machine)) {
    for (const run of await runsAt(database, dead.id)) {
      if (placementVerdict(run, dead).kind !== "hand-over") continue;
      if (await failOver(run, of)) log(`${run.id}: requeued: its machine ${dead.id} is gone`);
    }
  }
}

/** X5 */
async function finishRequestedMoves(of: Reaping): Promise<void> {
  for (const id of await finishMoves(null, of)) of.log(`${id}: moved`);
}

/** X4 */
async function enqueueForgotten(of: Reaping): Promise<void> {
  for (const run of await unqueuedRuns(of.database)) await enqueueRun(run, of);
}

/** The result of a check of dispatched runs. */
interface DispatchScan {
  readonly seen: number;
  /** DBOS workflow ids of this machine that are not running here. */
  readonly unknown: ReadonlySet<string>;
}

/** X2, X3. `before`: the result of the last check. */
async function reapDispatched(of: Reaping, before: ReadonlySet<string>): Promise<DispatchScan> {
  const { database, queues, machine, dispatched, log } = of;
  const gone = await goneMachines(database);
  const scan = await queues.dispatchedTo([machine, ...gone]);
  const unknown = scan.filter(
    (dispatch) => dispatch.machine === machine && !dispatched.has(dispatch.name),
  );
  const suspects = scan.filter(
    (dispatch) => dispatch.machine !== machine || before.has(dispatch.name),
  );
  const lost = suspects.filter((dispatch) => !dispatched.has(dispatch.name));
  const runs = await placementsOf(
    database,
    lost.map(({ run }) => run),
  );
  const byId = new Map(runs.map((run) => [run.id, run]));
  for (const dispatch of lost) {
    const run = byId.get(dispatch.run);
    if (
      run === undefined ||
      run.placement.entry !== dispatch.entry ||
      !isStranded(run, dispatch, of)
    )
      continue;
    if (await failOver(run, of)) log(`${run.id}: requeued: ${dispatch.machine} has lost it`);
  }
  return { seen: scan.length, unknown: new Set(unknown.map(({ name }) => name)) };
}

/** Whether no other mechanism would resume a run that was dispatched to this or a dead machine. */
function isStranded(run: PlacementRow, dispatch: Dispatched, { machine }: Reaping): boolean {
  const { home, placement, status } = run;
  if (dispatch.machine === machine) return true;
  // Its machine gets time to come back (X1), and resumes it then.
  if (home === dispatch.machine && (status === "running" || status === "waiting")) return false;
  return placement.pinned === null && !isTied(run);
}

/** Machines that have no worker that lives. */
async function goneMachines(database: Database): Promise<readonly MachineId[]> {
  const rows = await database.query<{ id: MachineId }>(
    `SELECT m.id FROM raymond.machines m LEFT JOIN raymond.holders h ON h.id = m.holder
      WHERE NOT coalesce(raymond.is_alive(h), false)`,
  );
  return rows.map(({ id }) => id);
}
