import type { ClaimOptions, RunSummary } from "../engine/ports/store.ts";
import { asExpected, list } from "../inspect/list.ts";
import type { RunId } from "../machine/run-state.ts";
import { storageErrors } from "../storage/errors.ts";
import { type Caller, thisProcess } from "../wire/caller.ts";
import type { FleetRemains, RemainsHere, RemoteRemains } from "../wire/fleet-remains.ts";
import type { RunSource } from "../wire/run-source.ts";
import { nameRun, type Place, stateRoot, storeIn } from "../wire/stores.ts";
import { type OldRule, oldRuns } from "./old-runs.ts";

/** Runs that are to be deleted: those that are named, else the old ones. */
export interface PruneOptions extends Place, Partial<OldRule> {
  /** In any way to name one; whatever their status. */
  readonly runs?: readonly string[] | undefined;
  /** For named runs: presume a holder dead that is not visible from here, instead of refusing. */
  readonly takeOver?: boolean | undefined;
  /** With a fleet: the state folder of a worker on this machine; that of the project without it. */
  readonly workerFolder?: string | undefined;
}

/** What may be deleted. */
export interface Prunable {
  readonly runs: readonly PrunableRun[];
  /** What a worker of this machine has left of runs that their fleet does not know any more. */
  readonly left: readonly LeftRun[];
  /** Where refs of the runs are, that may be deleted after them. */
  readonly remotes: readonly RemoteRemains[];
}

export interface LeftRun extends Pick<RemainsHere, "bytes" | "remove"> {
  readonly id: RunId;
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
  const { runs, left, remotes } = await prunable(options, caller);
  for (const { remove } of [...runs, ...left]) await remove();
  const ids = runs.map(({ run }) => run.id);
  for (const remote of remotes) await remote.remove(ids);
  return runs.map(({ run }) => run);
}

/** What `prune` would delete: completed runs, as far as nothing else is said. */
export async function prunable(
  options: PruneOptions,
  caller: Caller = thisProcess(),
): Promise<Prunable> {
  const { runs: wanted = [], takeOver } = options;
  const found =
    wanted.length > 0
      ? await Promise.all(wanted.map((run) => named(run, options, caller)))
      : await foundOld(options, caller);
  const ids = found.map(({ run }) => run.id);
  const { here, remotes } = await remainsOf(ids, options, caller);
  const claiming = wanted.length > 0 ? { takeOver } : {};
  const runs = found.map((one) => prunableRun(one, here.get(one.run.id) ?? null, claiming));
  const left = [...here].flatMap(([id, { isKnown, ...remains }]) => {
    return isKnown || wanted.length > 0 ? [] : [{ id, ...remains }];
  });
  return { runs, left, remotes };
}

async function foundOld(options: PruneOptions, caller: Caller): Promise<readonly Found[]> {
  const { all = false, olderThanMs = null, keep = 0 } = options;
  const { root, runs } = await list(options, caller);
  const store = await storeIn(root, caller);
  const old = oldRuns(runs, { all, olderThanMs, keep }, caller.now());
  const sizes = await store.sizes(old.map(({ id }) => id));
  return old.map((run) => ({ run, store, sizes }));
}

/** Files of these runs in other places; none for runs of a state folder. */
async function remainsOf(
  ids: readonly RunId[],
  { workerFolder }: PruneOptions,
  { fleet, ...caller }: Caller,
): Promise<FleetRemains> {
  if (fleet === undefined) return { here: new Map(), remotes: [] };
  return fleet.remains(ids, await stateRoot({ stateDir: workerFolder }, caller), caller);
}

/** A run that was found, and where. */
interface Found {
  readonly run: RunSummary;
  readonly store: RunSource;
  readonly sizes: ReadonlyMap<RunId, number>;
}

async function named(wanted: string, { stateDir }: PruneOptions, caller: Caller): Promise<Found> {
  const place = { run: wanted, stateDir };
  const { id, store } = await nameRun(place, caller, { followLinks: false });
  const run = (await store.list()).find((one) => one.id === id);
  if (run === undefined) throw storageErrors["store/unknown-run"](wanted);
  const seen = asExpected(run, await store.queue.expected());
  return { run: seen, store, sizes: await store.sizes([id]) };
}

function prunableRun(
  { run, store, sizes }: Found,
  remains: RemainsHere | null,
  claiming: ClaimOptions,
): PrunableRun {
  return {
    run,
    bytes: (sizes.get(run.id) ?? 0) + (remains?.bytes ?? 0),
    remove: async () => {
      await store.remove(run.id, claiming);
      await remains?.remove();
    },
  };
}
