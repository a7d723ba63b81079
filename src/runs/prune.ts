import type { Claiming, RunSummary } from "../ports/store.ts";
import { UnknownRunError } from "../stores/errors.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { list } from "./list.ts";
import { type OldRule, oldRuns } from "./old-runs.ts";
import { runSize } from "./wire/run-size.ts";
import { nameRun, type Place, storeIn } from "./wire/stores.ts";

/** Runs that are to be deleted: those that are named, else the old ones. */
export interface PruneOptions extends Place, Partial<OldRule> {
  /** In any way to name one; whatever their status. */
  readonly runs?: readonly string[] | undefined;
  /** Of those that are named: a holder that cannot be seen from here is taken for dead, and not refused. */
  readonly takeOver?: boolean | undefined;
}

/** A run that may be deleted, and what that frees. */
export interface PrunableRun {
  readonly run: RunSummary;
  readonly bytes: number;
  /** Deletes it with all that it owns. Rejects with a RaymondError while some process holds it. */
  readonly remove: () => Promise<void>;
}

/** Deletes runs with all that they own, and returns them. */
export async function prune(
  options: PruneOptions = {},
  caller: Caller = thisProcess(),
): Promise<readonly RunSummary[]> {
  const found = await prunable(options, caller);
  for (const { remove } of found) await remove();
  return found.map(({ run }) => run);
}

/** What `prune` would delete: completed runs, as far as nothing else is said. */
export async function prunable(
  options: PruneOptions,
  caller: Caller = thisProcess(),
): Promise<readonly PrunableRun[]> {
  const { runs: wanted = [], all = false, olderThanMs = null, keep = 0 } = options;
  if (wanted.length > 0) {
    return Promise.all(wanted.map((run) => named(run, options, caller)));
  }
  const { root, runs } = await list(options, caller);
  const old = oldRuns(runs, { all, olderThanMs, keep }, caller.now());
  return Promise.all(old.map((run) => prunableRun(run, root, {}, caller)));
}

async function named(
  run: string,
  { stateDir, takeOver }: PruneOptions,
  caller: Caller,
): Promise<PrunableRun> {
  const { id, root, store } = await nameRun({ run, stateDir }, caller);
  const found = (await store.list()).find((one) => one.id === id);
  if (found === undefined) throw new UnknownRunError(run);
  return prunableRun(found, root, { takeOver }, caller);
}

async function prunableRun(
  run: RunSummary,
  root: string,
  claiming: Claiming,
  caller: Caller,
): Promise<PrunableRun> {
  const { disk } = await caller.system();
  const store = await storeIn(root, caller);
  const bytes = await runSize(disk, root, run.id);
  return { run, bytes, remove: () => store.remove(run.id, claiming) };
}
