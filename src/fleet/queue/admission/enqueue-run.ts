import type { Database } from "../../store/database.ts";
import { markQueued } from "../../store/rows/placed-runs.ts";
import { isTied, type MachineId, type PlacedRun } from "../../store/rows/placement.ts";
import type { Queues } from "../queues.ts";

/**
 * Puts a run, as it is placed, into its queue, and records that it is there: whoever is cut off in between
 * leaves the rest to the workers (`reaper.ts`). Twice is as once.
 */
export async function enqueueRun(
  run: PlacedRun,
  { database, queues }: { readonly database: Database; readonly queues: Queues },
): Promise<void> {
  const { id, placement } = run;
  await queues.enqueue(id, placement, placement.at ?? undefined, onlyMachine(run));
  await markQueued(database, id, placement.entry);
}

/** The machine that alone may take a run, for its files are only there. */
export function onlyMachine(run: PlacedRun): MachineId | null {
  return isTied(run) ? run.home : null;
}
