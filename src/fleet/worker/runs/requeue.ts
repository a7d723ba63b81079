import type { RunId } from "../../../machine/run-state.ts";
import { parseEnqueueKey, type Queues } from "../../queue/queues.ts";
import type { Database } from "../../store/database.ts";
import { markQueued, requeueRow } from "../../store/rows/placed-runs.ts";

interface Leaving {
  readonly database: Database;
  readonly queues: Queues;
  readonly now: () => number;
}

/** Leaves a run that nobody has begun here to another worker, as one more going on; `afterMs`: not before that. */
export async function requeue(
  id: RunId,
  name: string,
  { database, queues, now }: Leaving,
  afterMs = 0,
): Promise<void> {
  const back = await requeueRow(database, id, parseEnqueueKey(name)?.entry ?? 0);
  if (back === null) return;
  const { queued, only } = back;
  await queues.enqueue(id, queued, now() + afterMs, only);
  await markQueued(database, id, queued.entry);
}

/** Leaves a run that this worker cannot run, but would be offered again, to another worker; this one may have it later. */
export function requeueLater(id: RunId, name: string, leaving: Leaving): Promise<void> {
  return requeue(id, name, leaving, LATER_MS * (0.5 + Math.random()));
}

/** Until such a run is offered again, ms: workers that can run it may be busy, or to come. */
const LATER_MS = 30_000;
