import type { RunId } from "../core/machine/run-state.ts";
import type { Claiming, RunSummary, Store } from "../ports/store.ts";
import { UnknownRunError } from "../stores/errors.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { asExpected, list } from "./list.ts";
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
  const { runs: wanted = [], all = false, olderThanMs = null, keep = 0, takeOver } = options;
  if (wanted.length > 0) {
    const found = await Promise.all(wanted.map((run) => named(run, options, caller)));
    return Promise.all(found.map((one) => prunableRun(one, { takeOver }, caller)));
  }
  const { root, runs } = await list(options, caller);
  const store = await storeIn(root, caller);
  const old = oldRuns(runs, { all, olderThanMs, keep }, caller.now());
  const sizes = await store.remote?.sizes(old.map(({ id }) => id));
  return Promise.all(old.map((run) => prunableRun({ run, root, store, sizes }, {}, caller)));
}

/** A run that was found, and where. */
interface Found {
  readonly run: RunSummary;
  readonly root: string;
  readonly store: Store;
  /** Of a fleet's, by their ids. */
  readonly sizes: ReadonlyMap<RunId, number> | undefined;
}

async function named(wanted: string, { stateDir }: PruneOptions, caller: Caller): Promise<Found> {
  const { id, root, store } = await nameRun({ run: wanted, stateDir }, caller);
  const run = (await store.list()).find((one) => one.id === id);
  if (run === undefined) throw new UnknownRunError(wanted);
  const seen = asExpected(run, await store.remote?.expected());
  return { run: seen, root, store, sizes: await store.remote?.sizes([id]) };
}

async function prunableRun(
  { run, root, store, sizes }: Found,
  claiming: Claiming,
  caller: Caller,
): Promise<PrunableRun> {
  const { disk } = await caller.system();
  const bytes = sizes === undefined ? await runSize(disk, root, run.id) : (sizes.get(run.id) ?? 0);
  return { run, bytes, remove: () => store.remove(run.id, claiming) };
}
