import type { RunId } from "../core/machine/run-state.ts";
import type { Database } from "../stores/postgres/database.ts";
import { giveBack, markQueued } from "../stores/postgres/placed-runs.ts";
import { type Queues, readGoName } from "../stores/postgres/queues.ts";

/** Leaves a run of a newer raymond to another worker, which may have it in a while; and so may this one, once it is newer. */
export async function leaveToNewer(
  id: RunId,
  name: string,
  { database, queues, now }: Leaving,
): Promise<void> {
  const back = await giveBack(database, id, readGoName(name)?.go ?? 0);
  if (back === null) return;
  const { queued, only } = back;
  await queues.enqueue(id, queued, now() + NEWER_MS * (0.5 + Math.random()), only);
  await markQueued(database, id, queued.go);
}

interface Leaving {
  readonly database: Database;
  readonly queues: Queues;
  readonly now: () => number;
}

/** Until a run of a newer raymond is offered again, ms: workers of that one may be busy, or to come. */
const NEWER_MS = 30_000;
