import type { Clock } from "../../engine/ports/clock.ts";
import { deleteStaleHolders } from "../lease/holders.ts";
import { deadMachines } from "../lease/machines.ts";
import { type Dispatched, enqueueRun, type Queues } from "../queue/queues.ts";
import type { Database } from "../store/database.ts";
import {
  type PlacementRow,
  placementsOf,
  runsAt,
  unqueuedRuns,
} from "../store/rows/placed-runs.ts";
import { isTied, type MachineId, placementVerdict } from "../store/rows/placement.ts";
import { failOver, finishMoves } from "./runs/requeue.ts";

/*
 * Every worker looks for runs that would otherwise wait forever:
 *
 * X1  A run whose home is dead, and that may run elsewhere.
 * X2  A run that was dispatched to a machine that died before it became the home.
 * X3  A run that was dispatched to this machine, which never received it: the answer of the database was lost.
 * X4  A run whose submitter or worker died before it enqueued the run.
 * X5  A run whose move was requested, and that no process holds.
 *
 * Several reapers can run concurrently: only one of them requeues a run.
 */

interface ReaperOptions {
  readonly database: Database;
  readonly queues: Queues;
  readonly machine: MachineId;
  /** The queue entries that this worker is executing. */
  readonly dispatched: ReadonlySet<string>;
  readonly clock: Clock;
  readonly ttlMs: number;
  readonly until: AbortSignal;
  readonly log: (line: string) => void;
}

/** Requeues stranded runs, and deletes rows of processes that have been dead for long. Never rejects. */
export async function runReaper(options: ReaperOptions): Promise<void> {
  const { ttlMs, until, clock, database } = options;
  let scan: DispatchScan = { entries: 0, unknown: new Set() };
  let nextScan = Number.NEGATIVE_INFINITY;
  let nextSweep = Number.NEGATIVE_INFINITY;
  while (!until.aborted) {
    if (clock.elapsed() > nextSweep) {
      await deleteStaleHolders(database).catch(() => undefined);
      nextSweep = clock.elapsed() + SWEEP_MS;
    }
    for (const reap of [reapHomes, reapMoves, reapUnqueued]) {
      await reap(options).catch(() => undefined);
    }
    if (clock.elapsed() >= nextScan) {
      scan = await reapDispatched(options, scan.unknown).catch(() => ({
        entries: 0,
        unknown: new Set(),
      }));
      nextScan = clock.elapsed() + scan.entries * SCAN_MS_PER_ENTRY;
    }
    await clock.sleep((ttlMs / 6) * (0.5 + Math.random()), until);
  }
}

const SWEEP_MS = 3_600_000;

/** Pause between scans of dispatched runs, per queue entry, ms: it limits the load with thousands of runs. */
const SCAN_MS_PER_ENTRY = 10;

/** X1 */
async function reapHomes(options: ReaperOptions): Promise<void> {
  const { database, machine, log } = options;
  for (const dead of await deadMachines(database, machine)) {
    for (const run of await runsAt(database, dead.id)) {
      if (placementVerdict(run, dead).kind !== "hand-over") continue;
      if (await failOver(run, options)) log(`${run.id}: requeued: its machine ${dead.id} is gone`);
    }
  }
}

/** X5 */
async function reapMoves(options: ReaperOptions): Promise<void> {
  for (const id of await finishMoves(null, options)) options.log(`${id}: moved`);
}

/** X4 */
async function reapUnqueued(options: ReaperOptions): Promise<void> {
  for (const run of await unqueuedRuns(options.database)) await enqueueRun(run, options);
}

interface DispatchScan {
  readonly entries: number;
  /** Queue entries of this machine that it is not executing. */
  readonly unknown: ReadonlySet<string>;
}

/** X2, X3. `before`: `unknown` of the last scan, because a dispatch may be on its way. */
async function reapDispatched(
  options: ReaperOptions,
  before: ReadonlySet<string>,
): Promise<DispatchScan> {
  const { database, queues, machine, dispatched, log } = options;
  const entries = await queues.dispatchedTo([machine, ...(await goneMachines(database))]);
  const lost = entries.filter(({ name }) => !dispatched.has(name));
  const own = lost.filter((entry) => entry.machine === machine);
  const suspects = lost.filter((entry) => entry.machine !== machine || before.has(entry.name));
  const runs = await placementsOf(
    database,
    suspects.map(({ run }) => run),
  );
  const byId = new Map(runs.map((run) => [run.id, run]));
  for (const entry of suspects) {
    const run = byId.get(entry.run);
    if (run === undefined || !isStranded(run, entry, machine)) continue;
    if (await failOver(run, options)) log(`${run.id}: requeued: ${entry.machine} has lost it`);
  }
  return { entries: entries.length, unknown: new Set(own.map(({ name }) => name)) };
}

/** Whether no other mechanism would resume a run that was dispatched to this or a dead machine. */
function isStranded(run: PlacementRow, dispatch: Dispatched, machine: MachineId): boolean {
  const { home, placement, status } = run;
  if (placement.entry !== dispatch.entry) return false;
  if (dispatch.machine === machine) return true;
  // Its machine gets time to come back (X1), and resumes it then.
  if (home === dispatch.machine && (status === "running" || status === "waiting")) return false;
  return placement.pinned === null && !isTied(run);
}

async function goneMachines(database: Database): Promise<readonly MachineId[]> {
  const rows = await database.query<{ id: MachineId }>(
    `SELECT m.id FROM raymond.machines m LEFT JOIN raymond.holders h ON h.id = m.holder
      WHERE NOT coalesce(raymond.is_alive(h), false)`,
  );
  return rows.map(({ id }) => id);
}
