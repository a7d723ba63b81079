import { rm } from "node:fs/promises";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Store } from "../../engine/ports/store.ts";
import { inFlight } from "../../machine/move/roster.ts";
import type { RunState } from "../../machine/run-state.ts";
import type { Snapshot } from "../store/rows/placement.ts";
import { addAll } from "./add-all.ts";
import type { Clone } from "./clone.ts";
import { refOf } from "./refs.ts";
import { printSnapshot, type SnapshotCommit } from "./snapshot-commit.ts";

/*
 * How the files of a run travel:
 *
 * G1  What a saved state says was done has its files in the snapshot that is saved with it, in one transaction:
 *     that commit is what counts, and no ref is asked for it.
 * G2  A snapshot is made when an attempt has ended, so that what one that is under way has half done is in none,
 *     but where others of the run end meanwhile: they share the folder.
 * G3  One that cannot be made or pushed is recorded as behind, and the run goes on: but only here, until one can.
 * G4  A taking of a run has a ref of its own (its epoch), which nobody else writes: what was recorded stays at the
 *     remote, whoever pushes late. The ref `main` is for people.
 */

/** What the snapshots of a run are made with. */
export interface SnapshotOptions {
  readonly clone: Clone;
  readonly repository: string;
  /** The number of its taking. */
  readonly epoch: number;
  readonly clock: Clock;
  /** What was recorded last; null: nothing yet. */
  readonly recorded: Snapshot | null;
  /** What goes into the row of the run with its next save. */
  readonly record: (snapshot: Snapshot) => void;
  /** Hears, a sentence each, when they are behind, and when they are not any more. */
  readonly log: (line: string) => void;
}

/** The store for one going on of a run: no state is saved before the files that it builds on are kept (G1). */
export function storeWithFiles<S extends Pick<Store, "save">>(
  store: S,
  run: RunState,
  options: SnapshotOptions,
): S {
  const { clone, recorded, record, log } = options;
  let last = clone.last;
  let behind = recorded?.behind ?? null;
  let before = run;

  async function keep(next: RunState): Promise<void> {
    const made = await commitFiles(next, last, clone);
    const isNew = made.commit !== last.commit;
    last = made;
    if (isNew || behind !== null) await push(next.id, made.commit, options);
  }
  async function secure(next: RunState): Promise<void> {
    const why = await keep(next).then(
      () => null,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    if (why !== null && behind === null) {
      log(
        `${next.id}: cannot run on other machines: its files are only in ${clone.folder}: ${why}`,
      );
    }
    if (why === null && behind !== null)
      log(`${next.id}: its files are at the remote again, other machines can run it`);
    behind = why;
    record({ commit: last.commit, behind });
  }
  return {
    ...store,
    save: async (next, expected) => {
      if (hasEnded(next, before)) await secure(next);
      await store.save(next, expected);
      before = next;
    },
  };
}

/** Whether an attempt was in flight before, and is not any more. */
function hasEnded(next: RunState, before: RunState): boolean {
  const flying = new Set(inFlight(next).map(({ activity }) => activity.process));
  return inFlight(before).some(({ activity }) => !flying.has(activity.process));
}

/** A commit of all files that git does not ignore, beside whatever the run does with git itself; the last one where nothing has changed. */
async function commitFiles(
  run: RunState,
  last: SnapshotCommit,
  { git, index }: Clone,
): Promise<SnapshotCommit> {
  // Of a git that died in it; nobody else uses this index.
  await rm(`${index}.lock`, { force: true });
  const own = { env: { GIT_INDEX_FILE: index } };
  await addAll(git, own, WHOLE);
  const tree = await git(["write-tree"], own);
  const head = await git(["rev-parse", "HEAD"]).catch(() => last.head);
  const branch = await git(["symbolic-ref", "--short", "HEAD"]).catch(() => null);
  if (tree === last.tree && head === last.head && branch === last.branch) return last;
  const parents = [...new Set(head === last.head ? [last.commit] : [last.commit, head])];
  const message = printSnapshot(`raymond: ${run.id} after save ${String(run.saves)}`, {
    head,
    branch,
  });
  const commit = await git([
    ...["commit-tree", tree, "-m", message],
    ...parents.flatMap((parent) => ["-p", parent]),
  ]);
  return { commit, tree, head, branch };
}

/** What git LFS would keep beside the commit, and push by a hook, is in the commit itself. */
const WHOLE = ["clean=", "process=", "required=false"].flatMap((setting) => [
  "-c",
  `filter.lfs.${setting}`,
]);

async function push(
  run: string,
  commit: string,
  {
    clone,
    repository,
    epoch,
    clock,
  }: Pick<SnapshotOptions, "clone" | "repository" | "epoch" | "clock">,
): Promise<void> {
  const refs = [refOf(run, epoch), refOf(run)].map((ref) => `+${commit}:${ref}`);
  for (const pause of [...PAUSES_MS, null]) {
    const began = clock.elapsed();
    try {
      await clone.git(["push", "--quiet", "--no-verify", "--", repository, ...refs], {
        timeoutMs: PUSH_MS,
      });
      return;
    } catch (error) {
      if (pause === null || clock.elapsed() - began > QUICK_MS) throw error;
      await clock.sleep(pause, new AbortController().signal);
    }
  }
}

const PUSH_MS = 5 * 60_000;

/** Before a push is tried again, ms. */
const PAUSES_MS = [500, 3_000];

/** What took longer to fail is not tried again: the run waits for it. */
const QUICK_MS = 10_000;
