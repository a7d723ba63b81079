import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathInside } from "../files/paths.ts";
import { found, stepSnapshots } from "../inspect/files/run-diff.ts";
import { callerGit } from "../inspect/files/run-files.ts";
import { readLastKnown } from "../inspect/run-view.ts";
import type { StepChanges } from "../machine/model/step-changes.ts";
import type { Caller } from "../wire/caller.ts";
import type { Wanted } from "../wire/stores.ts";
import { type FileChange, fileChanges } from "../workspaces/changes.ts";
import { FolderSnapshots } from "../workspaces/folder-snapshots.ts";
import { openPlainGit, type PlainGit } from "../workspaces/plain-git.ts";
import { savedRef } from "../workspaces/refs.ts";
import { findRepository, inTree } from "../workspaces/repository.ts";
import { prepareRestore } from "../workspaces/restore-files.ts";
import { workspaceRunErrors } from "./workspace-errors.ts";

export interface RestoreOptions extends Wanted {
  readonly step: number;
  /** Restores the files before the step instead of those after it. */
  readonly before?: boolean | undefined;
  /** Also restores files that no step of the run has changed. */
  readonly allFiles?: boolean | undefined;
  /** Receives what the restore would change, after it was saved. False: change nothing. */
  readonly confirm: (planned: PlannedRestore) => Promise<boolean>;
}

export interface PlannedRestore {
  readonly run: string;
  /** The working tree of the current folder. */
  readonly folder: string;
  readonly changes: readonly FileChange[];
  /** The number of other files that differ from those of the step. */
  readonly others: number;
  /** The ref that keeps the files as they are now. */
  readonly saved: string;
}

/**
 * Replaces the files that the run has changed by those of a step, in the current working tree and except for files that
 * git ignores. Returns null if nothing was changed. Rejects with a RaymondError.
 */
export async function restore(
  options: RestoreOptions,
  caller: Caller,
): Promise<PlannedRestore | null> {
  const view = await readLastKnown(options, caller);
  const { run, root, holder } = view;
  const steps = stepSnapshots(view);
  const step = found(steps, options.step, view);
  const git = await callerGit(caller);
  const repository = await findRepository(caller.cwd, git);
  if (repository === null) throw workspaceRunErrors["run/restore-outside-git"](caller.cwd);
  if (holder !== null && pathInside(repository.top, step.cwd) !== null)
    throw workspaceRunErrors["run/restore-in-use"](run.id, repository.top);
  const commit = options.before === true ? step.base : step.snapshot;
  const exists = ["cat-file", "-e", "--end-of-options", `${commit}^{commit}`];
  const known = await git.try(exists, inTree(repository));
  if (!known.ok) throw workspaceRunErrors["run/restore-other-repository"](run.id, repository.top);
  const folder = await mkdtemp(path.join(tmpdir(), "raymond-git-"));
  try {
    const plain = await openPlainGit(repository, { folder }, git);
    const saved = savedRef(run.id, caller.now());
    const snapshots = new FolderSnapshots({ plain, ref: saved, without: [root] }, null);
    const title = `raymond: before the restore of ${run.id}, step ${String(options.step)}`;
    const only = options.allFiles === true ? null : await changedFiles(steps, plain);
    const wanted = { commit, only };
    const { changes, others, apply } = await prepareRestore(wanted, title, snapshots, plain);
    const planned = { run: run.id, folder: repository.top, changes, others, saved };
    if (changes.length > 0 && !(await options.confirm(planned))) return null;
    await apply();
    return planned;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The files that steps have changed. */
async function changedFiles(
  steps: readonly Pick<StepChanges, "base" | "snapshot">[],
  plain: PlainGit,
): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const { base, snapshot } of steps) {
    if (base === snapshot) continue;
    // The repository lacks the snapshots of steps in other repositories.
    const changes = await fileChanges(base, snapshot, plain).catch(() => []);
    for (const { file } of changes) names.add(file);
  }
  return names;
}
