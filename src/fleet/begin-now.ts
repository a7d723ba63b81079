import type { RunId } from "../core/machine/run-state.ts";
import type { Database } from "../stores/postgres/database.ts";
import { findPlacement } from "../stores/postgres/placed-runs.ts";
import type { Queues } from "../stores/postgres/queues.ts";
import { enqueueAnew } from "./hand-over.ts";

/**
 * Has a run begin as soon as a worker is free that was to begin later. False where it was not to, or has begun
 * meanwhile.
 */
export async function beginNow(
  id: RunId,
  fleet: { readonly database: Database; readonly queues: Queues },
): Promise<boolean> {
  const row = await findPlacement(fleet.database, id);
  return row !== null && row.placement.at !== null && (await enqueueAnew(row, fleet));
}
