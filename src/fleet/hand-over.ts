import type { Database } from "../stores/postgres/database.ts";
import { markQueued, type PlacementRow } from "../stores/postgres/placed-runs.ts";
import type { MachineId } from "../stores/postgres/placement.ts";
import type { Queues } from "../stores/postgres/queues.ts";
import { onlyAt, queueRun } from "./queue-run.ts";

interface Fleet {
  readonly database: Database;
  readonly queues: Queues;
}

/*
 * A run is enqueued anew by another number, so that whatever a machine was handed before is void: first the
 * number, then the queue, or who takes it at once would find it void. Who is cut off in between leaves the
 * rest to the workers (`reaper.ts`).
 */

/**
 * Takes a run away from the machine that had it, for another to take. False where another process was faster: it has
 * handed the run over, or it is a worker of that machine that has come back and claimed the run.
 */
export async function handOver(run: PlacementRow, { database, queues }: Fleet): Promise<boolean> {
  const { id, home, placement } = run;
  const stays = onlyAt(run);
  const moved = await database.query(
    `UPDATE raymond.runs SET ${ANEW}, home = $3, holder = NULL, epoch = nextval('raymond.epochs')
      WHERE ${STILL} AND home IS NOT DISTINCT FROM $4 AND ${UNHELD} RETURNING 1`,
    [id, placement.go, stays, home],
  );
  if (moved.length === 0) return false;
  await queueRun(
    { ...run, placement: { ...placement, go: placement.go + 1 }, home: stays },
    { database, queues },
  );
  await queues.cancel(id, placement).catch(() => undefined);
  return true;
}

/** Puts a run into its queue anew that nobody has begun, to be begun now. False where somebody else was faster. */
export async function enqueueAnew(
  run: PlacementRow,
  { database, queues }: Fleet,
): Promise<boolean> {
  const { id, placement } = run;
  const due = await database.query(
    `UPDATE raymond.runs SET ${ANEW} || '{"at": null}' WHERE ${STILL} AND home IS NULL RETURNING 1`,
    [id, placement.go],
  );
  if (due.length === 0) return false;
  await queueRun(
    { ...run, placement: { ...placement, go: placement.go + 1, at: null } },
    { database, queues },
  );
  await queues.cancel(id, placement).catch(() => undefined);
  return true;
}

/** Leaves a run that nobody has begun to a machine. False where somebody else was faster. */
export async function sendTo(
  machine: MachineId,
  { id, placement }: PlacementRow,
  { database, queues }: Fleet,
): Promise<boolean> {
  const sent = await database.query(`UPDATE raymond.runs SET ${ANEW} WHERE ${STILL} RETURNING 1`, [
    id,
    placement.go,
  ]);
  if (sent.length === 0) return false;
  const next = { ...placement, go: placement.go + 1 };
  await queues.enqueue(id, next, undefined, machine);
  await markQueued(database, id, next.go);
  return true;
}

const ANEW = `placement = placement || jsonb_build_object('go', $2::int + 1, 'queued', false)`;
const STILL = `id = $1 AND placement @> jsonb_build_object('go', $2::int, 'open', true)`;
const UNHELD = `NOT EXISTS (
  SELECT 1 FROM raymond.holders h WHERE h.id = runs.holder AND raymond.lives(h))`;
