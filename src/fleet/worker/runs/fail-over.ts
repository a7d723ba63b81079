import type { RunId } from "../../../machine/run-state.ts";
import type { Queues } from "../../queue/queues.ts";
import { enqueueRun, onlyMachine } from "../../queue/queues.ts";
import type { Database } from "../../store/database.ts";
import { findPlacement, markQueued, type PlacementRow } from "../../store/rows/placed-runs.ts";
import type { MachineId } from "../../store/rows/placement.ts";

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
export async function failOver(run: PlacementRow, { database, queues }: Fleet): Promise<boolean> {
  const { id, home, placement } = run;
  const stays = onlyMachine(run);
  const moved = await database.query(
    `UPDATE raymond.runs SET ${NEXT_ENTRY}, home = $3, holder = NULL, epoch = nextval('raymond.epochs')
      WHERE ${IS_CURRENT} AND home IS NOT DISTINCT FROM $4 AND ${UNHELD} RETURNING 1`,
    [id, placement.entry, stays, home],
  );
  if (moved.length === 0) return false;
  await enqueueRun(
    { ...run, placement: { ...placement, entry: placement.entry + 1 }, home: stays },
    { database, queues },
  );
  await queues.cancel(id, placement).catch(() => undefined);
  return true;
}

/** Requeues a run that has not started, to start it now. False if another process was faster. */
async function enqueueAgain(run: PlacementRow, { database, queues }: Fleet): Promise<boolean> {
  const { id, placement } = run;
  const due = await database.query(
    `UPDATE raymond.runs SET ${NEXT_ENTRY} || '{"at": null}' WHERE ${IS_CURRENT} AND home IS NULL RETURNING 1`,
    [id, placement.entry],
  );
  if (due.length === 0) return false;
  await enqueueRun(
    { ...run, placement: { ...placement, entry: placement.entry + 1, at: null } },
    { database, queues },
  );
  await queues.cancel(id, placement).catch(() => undefined);
  return true;
}

/** Starts a run with a later start time now. Resolves with false if it has none or has started. */
export async function startNow(id: RunId, fleet: Fleet): Promise<boolean> {
  const row = await findPlacement(fleet.database, id);
  return row !== null && row.placement.at !== null && (await enqueueAgain(row, fleet));
}

/** Requeues a run that has not started for one machine. False if another process was faster. */
export async function enqueueFor(
  machine: MachineId,
  { id, placement }: PlacementRow,
  { database, queues }: Fleet,
): Promise<boolean> {
  const sent = await database.query(
    `UPDATE raymond.runs SET ${NEXT_ENTRY} WHERE ${IS_CURRENT} RETURNING 1`,
    [id, placement.entry],
  );
  if (sent.length === 0) return false;
  const next = { ...placement, entry: placement.entry + 1 };
  await queues.enqueue(id, next, undefined, machine);
  await markQueued(database, id, next.entry);
  return true;
}

const NEXT_ENTRY = `placement = placement || jsonb_build_object('entry', $2::int + 1, 'queued', false)`;
const IS_CURRENT = `id = $1 AND placement @> jsonb_build_object('entry', $2::int, 'open', true)`;
const UNHELD = `NOT EXISTS (
  SELECT 1 FROM raymond.holders h WHERE h.id = runs.holder AND raymond.is_alive(h))`;
