import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Artifacts } from "../../engine/ports/artifacts.ts";
import { isJsonObject, parseJson } from "../../language/basics/json-object.ts";
import type { RunId, RunWorktree } from "../../machine/model/run-state.ts";
import type { Caller } from "../../wire/caller.ts";
import type { RunSource } from "../../wire/run-source.ts";
import { lockRun } from "../record-input.ts";
import { discardIncomplete } from "./run-worktree.ts";

/*
 * The worktree of a new run exists before the first save of the run. A file in the folder of the run names it, so that
 * `raymond prune`, or the next run with the same id, removes it after a crash in between.
 */

/** Records a worktree before git creates it. */
export async function recordWorktree(
  worktree: RunWorktree,
  { snapshots }: Pick<Artifacts, "snapshots">,
): Promise<void> {
  await mkdir(snapshots, { recursive: true, mode: 0o700 });
  await writeFile(fileIn(snapshots), JSON.stringify(worktree));
}

/** Removes the worktree of a run that was never saved. The caller holds its lock. */
export async function discardUnsaved(
  id: RunId,
  { snapshots }: Pick<Artifacts, "snapshots">,
  caller: Caller,
): Promise<void> {
  const worktree = await readWorktree(snapshots);
  if (worktree === null) return;
  await discardIncomplete(id, worktree, { snapshots }, caller);
  await rm(fileIn(snapshots), { force: true });
}

export interface UnsavedRun {
  readonly id: RunId;
  readonly worktree: RunWorktree;
  /** Removes the worktree and the folder of the run. Rejects with a RaymondError while a process starts it. */
  readonly remove: (caller: Caller) => Promise<void>;
}

/** Runs of a state folder that were never saved, but have a worktree. `known`: ids of saved runs. */
export async function unsavedRuns(
  root: string,
  known: ReadonlySet<RunId>,
  store: RunSource,
): Promise<readonly UnsavedRun[]> {
  if (!store.inProject) return [];
  const ids = await readdir(path.join(root, "runs")).catch(() => []);
  const found = await Promise.all(
    ids
      .filter((id) => !known.has(id))
      .map(async (id) => {
        const artifacts = await store.artifacts(id).catch(() => null);
        const worktree = artifacts && (await readWorktree(artifacts.snapshots));
        if (artifacts === null || worktree === null || !(await isFree(id, store))) return [];
        const remove = async (caller: Caller) => {
          const lock = await lockRun(store, id);
          try {
            await discardUnsaved(id, artifacts, caller);
          } finally {
            await lock.release();
          }
          await store.remove(id);
        };
        return [{ id, worktree, remove }];
      }),
  );
  return found.flat();
}

/** Whether no process is about to save the run. */
async function isFree(id: RunId, store: RunSource): Promise<boolean> {
  const lock = await lockRun(store, id).catch(() => null);
  await lock?.release();
  return lock !== null && (await store.load(id).catch(() => null)) === undefined;
}

function fileIn(snapshots: string): string {
  return path.join(snapshots, "worktree.json");
}

async function readWorktree(snapshots: string): Promise<RunWorktree | null> {
  const text = await readFile(fileIn(snapshots), "utf8").catch(() => null);
  // If the crash has torn it, git was not yet called.
  return text === null ? null : asWorktree(parseJson(text));
}

/** A repository can bring such a file, with any content. */
function asWorktree(content: unknown): RunWorktree | null {
  if (!isJsonObject(content)) return null;
  const { folder, branch, base, origin } = content;
  return typeof folder === "string" &&
    typeof branch === "string" &&
    typeof base === "string" &&
    typeof origin === "string"
    ? { folder, branch, base, origin }
    : null;
}
