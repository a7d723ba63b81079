import type { RunId } from "../core/machine/run-state.ts";
import type { Store } from "../ports/store.ts";
import type { Caller, FleetRuns } from "../runs/caller.ts";
import { RunCompletedError } from "../runs/errors.ts";
import { loadNamed } from "../runs/load-named.ts";
import { saveChange } from "../runs/record-input.ts";
import { givenTo, type ResumeOptions } from "../runs/resume.ts";
import { nameRun } from "../runs/wire/stores.ts";
import type { Database } from "../stores/postgres/database.ts";
import { changePlacement, endAside, findPlacement } from "../stores/postgres/placed-runs.ts";
import type { MachineId } from "../stores/postgres/placement.ts";
import type { Queues } from "../stores/postgres/queues.ts";
import { NotSubmittedError } from "./errors.ts";
import { queueRun } from "./queue-run.ts";

/** A run of the fleet that is to go on. */
export type ResumeInFleet = Pick<
  ResumeOptions,
  "run" | "settings" | "addBudgetMicroUsd" | "lostSession"
> & {
  /** Where it is to go on: there alone, or (null) on any machine of its pool; as before without it. */
  readonly to?: MachineId | null;
};

/** The parts of an open fleet that requeueing a run needs. */
interface Requeueing {
  readonly database: Database;
  readonly queues: () => Promise<Queues>;
  readonly store: Store;
}

/**
 * Puts a run that has stopped into its queue again: that of its home, where its files and conversations
 * are only there. Rejects with a RaymondError where it is complete, or somebody goes on with it.
 */
export async function resumeInFleet(
  options: ResumeInFleet,
  fleet: Requeueing & FleetRuns,
  caller: Caller,
): Promise<RunId> {
  const { id } = await nameRun(options, { ...caller, fleet });
  await requeueStopped(id, options, fleet, caller);
  return id;
}

/** The same for a run that is known by its id. */
export async function requeueStopped(
  id: RunId,
  options: Omit<ResumeInFleet, "run">,
  { database, queues, store }: Requeueing,
  caller: Pick<Caller, "now" | "cwd">,
): Promise<void> {
  const lock = await store.lock(id);
  const placed = await (async () => {
    const row = await findPlacement(database, id);
    if (row === null) throw new NotSubmittedError(id);
    const run = await loadNamed(store, id);
    if (run.status === "completed") throw new RunCompletedError(id, run.results["main"] ?? null);
    const given = givenTo(run, options, caller);
    if (Object.keys(given).length > 0) {
      const next = { ...run, settings: { ...run.settings, ...given } };
      await saveChange(store, next, { next, inputs: [] }, caller.now());
    }
    const { lostSession = "fail", to } = options;
    const pinned = to === undefined ? row.placement.pinned : to;
    const again = { go: row.placement.go + 1, pinned, lostSession, at: null };
    const takes = { vain: 0, steps: null };
    await endAside(database, id);
    // What was wished of it before is not meant for what it does from now on.
    await database.query("DELETE FROM raymond.wishes WHERE run = $1", [id]);
    await changePlacement(database, id, { ...again, takes, open: true, queued: false, move: null });
    return { ...row, placement: { ...row.placement, ...again } };
  })().finally(() => lock.release());
  // Whoever takes it finds it free.
  await queueRun(placed, { database, queues: await queues() });
}
