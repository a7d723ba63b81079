import type { RunId } from "../core/machine/run-state.ts";
import type { Database } from "../stores/postgres/database.ts";
import { giveBack, markQueued } from "../stores/postgres/placed-runs.ts";
import { type Queues, readGoName } from "../stores/postgres/queues.ts";

interface Leaving {
  readonly database: Database;
  readonly queues: Queues;
  readonly now: () => number;
}

/** Leaves a run that nobody has begun here to another worker, as one more going on; `afterMs`: not before that. */
export async function leaveToOthers(
  id: RunId,
  name: string,
  { database, queues, now }: Leaving,
  afterMs = 0,
): Promise<void> {
  const back = await giveBack(database, id, readGoName(name)?.go ?? 0);
  if (back === null) return;
  const { queued, only } = back;
  await queues.enqueue(id, queued, now() + afterMs, only);
  await markQueued(database, id, queued.go);
}

/** Leaves a run of a newer raymond to another worker, which may have it in a while; and so may this one, once it is newer. */
export function leaveToNewer(id: RunId, name: string, leaving: Leaving): Promise<void> {
  return leaveToOthers(id, name, leaving, NEWER_MS * (0.5 + Math.random()));
}

/** Until a run of a newer raymond is offered again, ms: workers of that one may be busy, or to come. */
const NEWER_MS = 30_000;
