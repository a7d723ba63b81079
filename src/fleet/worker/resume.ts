import { runSettingChanges } from "../../config/setting-changes.ts";
import type { RunId } from "../../machine/model/run-state.ts";
import { runErrors } from "../../run/errors.ts";
import { saveChange } from "../../run/record-input.ts";
import { givenTo, type ResumeOptions } from "../../run/resume.ts";
import type { Caller, FleetRuns } from "../../wire/caller.ts";
import type { RunSource } from "../../wire/run-source.ts";
import { loadNamed, nameRun } from "../../wire/stores.ts";
import { fleetErrors } from "../errors.ts";
import { needsOf } from "../policy/policy.ts";
import { enqueueRun, type Queues } from "../queue/queues.ts";
import type { Database } from "../store/database.ts";
import {
  changePlacement,
  clearSetAside,
  findPlacement,
  type PlacementRow,
} from "../store/rows/placed-runs.ts";
import type { MachineId } from "../store/rows/placement.ts";

export type FleetResumeOptions = Pick<
  ResumeOptions,
  "run" | "settings" | "addBudgetMicroUsd" | "lostSession"
> & {
  /** The only machine that may resume the run; null: any of its pool. Default: unchanged. */
  readonly to?: MachineId | null;
};

/** The parts of an open fleet that requeue a run. */
interface Requeueing {
  readonly database: Database;
  readonly queues: () => Promise<Queues>;
  readonly store: RunSource;
}

/** Enqueues a stopped run again: for its home, if its files are only there. Rejects if it is completed or locked. */
export async function resumeInFleet(
  options: FleetResumeOptions,
  fleet: Requeueing & FleetRuns,
  caller: Caller,
): Promise<RunId> {
  const { id } = await nameRun(options, { ...caller, fleet });
  await requeueStopped(id, options, fleet, caller);
  return id;
}

/** The same for a run id. */
export async function requeueStopped(
  id: RunId,
  options: Omit<FleetResumeOptions, "run">,
  fleet: Requeueing,
  caller: Pick<Caller, "now" | "cwd" | "actor">,
): Promise<void> {
  await fleet.store.audit(id, "resume", caller.actor());
  const lock = await fleet.store.lock(id);
  let reopened: PlacementRow;
  try {
    reopened = await reopen(id, options, fleet, caller);
  } finally {
    await lock.release();
  }
  // After the release, so that a worker can claim the run immediately.
  await enqueueRun(reopened, { database: fleet.database, queues: await fleet.queues() });
}

async function reopen(
  id: RunId,
  { lostSession = "fail", to, ...options }: Omit<FleetResumeOptions, "run">,
  { database, store }: Requeueing,
  caller: Pick<Caller, "now" | "cwd" | "actor">,
): Promise<PlacementRow> {
  const row = await findPlacement(database, id);
  if (row === null) throw fleetErrors["fleet/not-submitted"](id);
  const run = await loadNamed(store, id);
  if (run.status === "completed") throw runErrors["run/completed"](id, run.results["main"] ?? null);
  const changed = givenTo(run, options, caller);
  const by = { actor: caller.actor(), changed: [...runSettingChanges(run.settings, changed)] };
  if (Object.keys(changed).length > 0) {
    const next = { ...run, settings: { ...run.settings, ...changed } };
    await saveChange(store, next, { next, inputs: [] }, caller.now());
  }
  const pinned = to === undefined ? row.placement.pinned : to;
  const { agents } = row.placement.needs ?? {};
  const needs = {
    ...needsOf({ ...run.settings, ...changed }, run.backend),
    ...(agents !== undefined && { agents }),
  };
  const placement = { needs, entry: row.placement.entry + 1, pinned, lostSession, at: null, by };
  await clearSetAside(database, id);
  // Earlier control requests must not affect the resumed run.
  await database.query("DELETE FROM raymond.control_requests WHERE run = $1", [id]);
  await changePlacement(database, id, {
    ...placement,
    claims: { stalled: 0, steps: null },
    ...{ open: true, queued: false, move: null },
  });
  return { ...row, placement: { ...row.placement, ...placement } };
}
