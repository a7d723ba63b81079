import type { RunId } from "../../../machine/model/run-state.ts";
import { enqueueRun, onlyMachine, parseEnqueueKey, type Queues } from "../../queue/queues.ts";
import type { Database } from "../../store/database.ts";
import { requeueMoves } from "../../store/rows/moves.ts";
import {
  findPlacement,
  markQueued,
  type PlacementRow,
  placementsOf,
  requeueRow,
} from "../../store/rows/placed-runs.ts";
import type { MachineId } from "../../store/rows/placement.ts";

/*
 * Each queue entry of a run has a number, and only the entry with the current number is valid. To requeue a
 * run, raymond raises the number first and then enqueues the run: a worker that claims the new entry before
 * the number is raised would discard it. If the process dies in between, the reaper enqueues the run.
 */

interface Fleet {
  readonly database: Database;
  readonly queues: Queues;
}

/**
 * Requeues a run for another machine. False if another process was faster: it has failed the run over, or it
 * is a worker of the same machine that has claimed the run again.
 */
export function failOver(run: PlacementRow, fleet: Fleet): Promise<boolean> {
  const home = onlyMachine(run);
  const change = {
    set: ", home = $3, holder = NULL, epoch = nextval('raymond.epochs')",
    where: `home IS NOT DISTINCT FROM $4 AND NOT EXISTS (
      SELECT 1 FROM raymond.holders h WHERE h.id = runs.holder AND raymond.is_alive(h))`,
    values: [home, run.home],
  };
  return enqueueNext({ ...run, home }, change, fleet);
}

/** Starts a run with a later start time now. False if it has none or has started. */
export async function startNow(id: RunId, fleet: Fleet): Promise<boolean> {
  const row = await findPlacement(fleet.database, id);
  if (row === null || row.placement.at === null) return false;
  const due = { ...row, placement: { ...row.placement, at: null } };
  const change = { set: ` || '{"at": null}'`, where: "home IS NULL", values: [] };
  return enqueueNext(due, change, fleet);
}

interface RowChange {
  /** Follows the new value of `placement`. */
  readonly set: string;
  readonly where: string;
  /** From `$3` on. */
  readonly values: readonly unknown[];
}

async function enqueueNext(
  run: PlacementRow,
  { set, where, values }: RowChange,
  fleet: Fleet,
): Promise<boolean> {
  const { id, placement } = run;
  const changed = await fleet.database.query(
    `UPDATE raymond.runs
        SET placement = placement || jsonb_build_object('entry', $2::int + 1, 'queued', false)${set}
      WHERE id = $1 AND placement @> jsonb_build_object('entry', $2::int, 'open', true) AND ${where} RETURNING 1`,
    [id, placement.entry, ...values],
  );
  if (changed.length === 0) return false;
  await enqueueRun({ ...run, placement: { ...placement, entry: placement.entry + 1 } }, fleet);
  await fleet.queues.cancel(id, placement).catch(() => undefined);
  return true;
}

/**
 * Requeues a dispatched run that this worker cannot execute. False if it was requeued already. `only`: for one
 * machine; `afterMs`: with a delay.
 */
export async function requeue(
  id: RunId,
  key: string,
  { database, queues, now }: Fleet & { readonly now: () => number },
  {
    afterMs = 0,
    only = null,
  }: { readonly afterMs?: number; readonly only?: MachineId | null } = {},
): Promise<boolean> {
  const row = await requeueRow(database, id, parseEnqueueKey(key)?.entry ?? 0);
  if (row === null) return false;
  await queues.enqueue(id, row.queued, now() + afterMs, only ?? row.only);
  await markQueued(database, id, row.queued.entry);
  return true;
}

/** Delay until this worker may be offered the run again, ms: suitable workers may be busy, or start later. */
export function requeueDelay(): number {
  return 30_000 * (0.5 + Math.random());
}

/** Enqueues runs whose move has released them from their worker. */
export async function enqueueMoved(ids: readonly RunId[], fleet: Fleet): Promise<void> {
  for (const run of await placementsOf(fleet.database, ids)) {
    if (run.open && run.move === null) await enqueueRun(run, fleet);
  }
}

/** Completes requested moves of runs that no process holds; `ids`: only these. Resolves with the moved runs. */
export async function finishMoves(
  ids: readonly RunId[] | null,
  fleet: Fleet,
): Promise<readonly RunId[]> {
  const requeued = await requeueMoves(fleet.database, ids);
  const moved = requeued.map(({ id }) => id);
  if (moved.length === 0) return moved;
  await enqueueMoved(moved, fleet);
  for (const { id, before } of requeued) {
    await fleet.queues.cancel(id, { entry: before }).catch(() => undefined);
  }
  return moved;
}
