import type { Database } from "../stores/postgres/database.ts";
import { markQueued, type PlacementRow } from "../stores/postgres/placed-runs.ts";
import type { MachineId } from "../stores/postgres/placement.ts";
import type { Queues } from "../stores/postgres/queues.ts";

/**
 * Puts a run, as it is placed, into its queue, and records that it is there: whoever is cut off in between
 * leaves the rest to the workers (`reaper.ts`). Twice is as once.
 */
export async function queueRun(
  { id, placement, home }: Pick<PlacementRow, "id" | "placement" | "home">,
  { database, queues }: { readonly database: Database; readonly queues: Queues },
): Promise<void> {
  await queues.enqueue(id, placement, placement.at ?? undefined, onlyAt(placement, home));
  await markQueued(database, id, placement.go);
}

/** The machine that alone may take a run, for its files are only there. */
export function onlyAt(
  { workspace }: Pick<PlacementRow["placement"], "workspace">,
  home: MachineId | null,
): MachineId | null {
  return workspace.kind === "local" ? home : null;
}
