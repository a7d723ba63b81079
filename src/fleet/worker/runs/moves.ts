import type { RunId } from "../../../machine/run-state.ts";
import type { Queues } from "../../queue/queues.ts";
import { enqueueRun } from "../../queue/queues.ts";
import type { Database } from "../../store/database.ts";
import { requeueMoves } from "../../store/rows/moves.ts";
import { placementsOf } from "../../store/rows/placed-runs.ts";

interface Fleet {
  readonly database: Database;
  readonly queues: Queues;
}

/** Puts runs that were requeued for another machine into their queues. */
export async function enqueueMoved(ids: readonly RunId[], fleet: Fleet): Promise<void> {
  for (const run of await placementsOf(fleet.database, ids)) {
    if (run.open && run.move === null) await enqueueRun(run, fleet);
  }
}

/** Finishes the requested moves of runs that no process holds; `ids`: only of these. Resolves with the runs that it has moved. */
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
