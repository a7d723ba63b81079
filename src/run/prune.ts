import type { ClaimOptions, RunSummary } from "../engine/ports/store.ts";
import { type LeftWorktree, leftWorktrees } from "../inspect/files/left-worktrees.ts";
import { callerGit } from "../inspect/files/run-files.ts";
import { asExpected, list } from "../inspect/list.ts";
import type { RunId } from "../machine/model/run-state.ts";
import { storageErrors } from "../storage/errors.ts";
import { type Caller, thisProcess } from "../wire/caller.ts";
import type { LocalRemains, RemoteRemains, RunSource } from "../wire/run-source.ts";
import { nameRun, type Place, runsOf } from "../wire/stores.ts";
import { removeRunRefs, snapshotRepositories } from "../workspaces/remove-refs.ts";
import { lockRun } from "./record-input.ts";
import { discardWorktrees, hasWorktrees } from "./worktree/run-worktree.ts";
import { unsavedRuns } from "./worktree/unsaved-worktree.ts";

/** Runs to delete: `runs`, or else the old ones. */
export interface PruneOptions extends Place, Partial<OldRule> {
  /** Named as for other commands. Deleted whatever their status. */
  readonly runs?: readonly string[] | undefined;
  /** For named runs: presume a holder dead that is not visible from here, instead of refusing. */
  readonly takeOver?: boolean | undefined;
  /** With a fleet: the state folder of a worker on this machine (default: that of the project). */
  readonly workerFolder?: string | undefined;
}

/** Which runs are old. */
export interface OldRule {
  /** Also failed and stopped runs, which could be resumed. */
  readonly all: boolean;
  /** Only runs without changes for this long, ms; null: any age. */
  readonly olderThanMs: number | null;
  /** Number of most recently changed runs to keep. */
  readonly keep: number;
}

export interface Prunable {
  readonly runs: readonly PrunableRun[];
  /** Files of a worker on this machine, of runs that the fleet does not have any more; runs that were never saved. */
  readonly left: readonly LeftRun[];
  /** Repositories with refs of the runs. Delete the refs after the runs. */
  readonly remotes: readonly RemoteRemains[];
}

export interface LeftRun extends Pick<LocalRemains, "bytes" | "remove"> {
  readonly id: RunId;
}

export interface PrunableRun {
  readonly run: RunSummary;
  readonly bytes: number;
  /** Its worktrees, which are deleted too. */
  readonly worktrees: () => Promise<readonly LeftWorktree[]>;
  /**
   * Deletes the run and all its files. Saves the uncommitted files of its worktrees before, and resolves with their
   * refs. Rejects with a RaymondError while a process holds it, and if files cannot be saved.
   */
  readonly remove: () => Promise<readonly string[]>;
}

/** Deletes runs and all their files, and returns them. */
export async function prune(
  options: PruneOptions = {},
  caller: Caller = thisProcess(),
): Promise<readonly RunSummary[]> {
  const { runs, left, remotes } = await prunable(options, caller);
  for (const { remove } of [...runs, ...left]) await remove();
  const ids = runs.map(({ run }) => run.id);
  for (const remote of remotes) await remote.remove(ids);
  return runs.map(({ run }) => run);
}

/** What `prune` would delete. */
export async function prunable(
  options: PruneOptions,
  caller: Caller = thisProcess(),
): Promise<Prunable> {
  const { runs: wanted = [], takeOver, workerFolder } = options;
  const isNamed = wanted.length > 0;
  const found = isNamed
    ? await Promise.all(wanted.map((run) => findNamed(run, options, caller)))
    : await findOld(options, caller);
  const ids = found.map(({ run }) => run.id);
  const { root, store } = await runsOf(options, caller);
  const { here, remotes } = await store.remains(ids, workerFolder, caller);
  const claiming = isNamed ? { takeOver } : {};
  const runs = found.map((each) =>
    prunableRun(each, here.get(each.run.id) ?? null, claiming, caller),
  );
  const left = [...here].flatMap(([id, { isKnown, ...remains }]) => {
    return isKnown || isNamed ? [] : [{ id, ...remains }];
  });
  const known = new Set((await store.list()).map(({ id }) => id));
  for (const { id, remove } of isNamed ? [] : await unsavedRuns(root, known, store))
    left.push({ id, bytes: 0, remove: () => remove(caller) });
  return { runs, left, remotes };
}

interface Found {
  readonly run: RunSummary;
  readonly store: RunSource;
  readonly sizes: ReadonlyMap<RunId, number>;
}

async function findOld(options: PruneOptions, caller: Caller): Promise<readonly Found[]> {
  const { all = false, olderThanMs = null, keep = 0 } = options;
  const { runs } = await list(options, caller);
  const { store } = await runsOf(options, caller);
  const old = oldRuns(runs, { all, olderThanMs, keep }, caller.now());
  const sizes = await store.sizes(old.map(({ id }) => id));
  return old.map((run) => ({ run, store, sizes }));
}

async function findNamed(run: string, { stateDir }: Place, caller: Caller): Promise<Found> {
  const { id, store } = await nameRun({ run, stateDir }, caller, { followLinks: false });
  const found = (await store.list()).find((one) => one.id === id);
  if (found === undefined) throw storageErrors["store/unknown-run"](run);
  const expected = await store.queue.expected();
  return { run: asExpected(found, expected), store, sizes: await store.sizes([id]) };
}

function prunableRun(
  { run, store, sizes }: Found,
  remains: LocalRemains | null,
  claiming: ClaimOptions,
  caller: Caller,
): PrunableRun {
  return {
    run,
    bytes: (sizes.get(run.id) ?? 0) + (remains?.bytes ?? 0),
    worktrees: async () => {
      const state = await store.load(run.id).catch(() => undefined);
      return state === undefined ? [] : leftWorktrees(state, caller);
    },
    remove: async () => {
      const audit = () => store.audit(run.id, "prune", caller.actor());
      // A fleet allows the entry only while the run exists. A file has none of a refused deletion.
      if (!store.inProject) await audit();
      const artifacts = await store.artifacts(run.id);
      await store.load(run.id).catch(() => undefined);
      // The worktrees and snapshots of a copy are those of the original.
      const isCopy = store.place?.(run.id).kind === "copy";
      const repositories = isCopy ? [] : await snapshotRepositories(artifacts.snapshots);
      // Before the run: without it, no command would find them after a crash.
      const saved = isCopy ? [] : await removeWorktrees(run.id, store, claiming, caller);
      await store.remove(run.id, claiming);
      await removeSnapshots(run.id, repositories, caller);
      if (store.inProject) await audit();
      await remains?.remove();
      return saved;
    },
  };
}

/** Removes the worktrees of a run that no process holds. Returns the refs of saved files. */
async function removeWorktrees(
  id: RunId,
  store: RunSource,
  claiming: ClaimOptions,
  caller: Caller,
): Promise<readonly string[]> {
  const state = await store.load(id).catch(() => undefined);
  if (state === undefined || !hasWorktrees(state)) return [];
  const lock = await lockRun(store, id, claiming);
  try {
    return await discardWorktrees(state, await store.artifacts(id), caller);
  } finally {
    await lock.release();
  }
}

/** A repository that is gone or cannot be changed keeps its refs. */
async function removeSnapshots(
  run: RunId,
  repositories: readonly string[],
  caller: Caller,
): Promise<void> {
  if (repositories.length === 0) return;
  const git = await callerGit(caller);
  for (const repository of repositories) {
    await removeRunRefs(run, repository, git).catch(() => undefined);
  }
}

/** The runs to delete, oldest change first. Live and unreadable runs are never deleted. */
export function oldRuns<Run extends Pick<RunSummary, "status" | "updatedAt">>(
  runs: readonly Run[],
  { all, olderThanMs, keep }: OldRule,
  now: number,
): readonly Run[] {
  const newestFirst = runs
    .filter(({ status }) => status === "completed" || (all && STOPPED.has(status)))
    .toSorted((a, b) => changedAt(b) - changedAt(a));
  return newestFirst
    .slice(keep)
    .filter((run) => olderThanMs === null || changedAt(run) < now - olderThanMs)
    .toReversed();
}

const STOPPED: ReadonlySet<RunSummary["status"]> = new Set([
  ...(["failed", "paused", "interrupted", "budget_exceeded", "crashed"] as const),
]);

function changedAt({ updatedAt }: Pick<RunSummary, "updatedAt">): number {
  return Date.parse(updatedAt);
}
