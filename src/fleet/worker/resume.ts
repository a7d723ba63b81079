import type { RunId } from "../../machine/run-state.ts";
import { runErrors } from "../../run/errors.ts";
import { saveChange } from "../../run/record-input.ts";
import { givenTo, type ResumeOptions } from "../../run/resume.ts";
import type { Caller, FleetRuns } from "../../wire/caller.ts";
import type { RunSource } from "../../wire/run-source.ts";
import { loadNamed, nameRun } from "../../wire/stores.ts";
import { fleetErrors } from "../errors.ts";
import type { Queues } from "../queue/queues.ts";
import { enqueueRun } from "../queue/queues.ts";
import type { Database } from "../store/database.ts";
import { changePlacement, clearSetAside, findPlacement } from "../store/rows/placed-runs.ts";
import type { MachineId } from "../store/rows/placement.ts";

/** A run of the fleet that is to go on. */
export type FleetResumeOptions = Pick<
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
  readonly store: RunSource;
}

/**
 * Puts a run that has stopped into its queue again: that of its home, where its files and conversations
 * are only there. Rejects with a RaymondError where it is complete, or somebody goes on with it.
 */
export async function resumeInFleet(
  options: FleetResumeOptions,
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
  options: Omit<FleetResumeOptions, "run">,
  { database, queues, store }: Requeueing,
  caller: Pick<Caller, "now" | "cwd">,
): Promise<void> {
  const lock = await store.lock(id);
  const placed = await (async () => {
    const row = await findPlacement(database, id);
    if (row === null) throw fleetErrors["fleet/not-submitted"](id);
    const run = await loadNamed(store, id);
    if (run.status === "completed")
      throw runErrors["run/completed"](id, run.results["main"] ?? null);
    const given = givenTo(run, options, caller);
    if (Object.keys(given).length > 0) {
      const next = { ...run, settings: { ...run.settings, ...given } };
      await saveChange(store, next, { next, inputs: [] }, caller.now());
    }
    const { lostSession = "fail", to } = options;
    const pinned = to === undefined ? row.placement.pinned : to;
    const again = { entry: row.placement.entry + 1, pinned, lostSession, at: null };
    const claims = { stalled: 0, steps: null };
    await clearSetAside(database, id);
    // What was wished of it before is not meant for what it does from now on.
    await database.query("DELETE FROM raymond.control_requests WHERE run = $1", [id]);
    await changePlacement(database, id, {
      ...again,
      claims,
      open: true,
      queued: false,
      move: null,
    });
    return { ...row, placement: { ...row.placement, ...again } };
    // oxlint-disable-next-line typescript/no-misused-promises -- finally() awaits its callback
  })().finally(() => lock.release());
  // Whoever takes it finds it free.
  await enqueueRun(placed, { database, queues: await queues() });
}
