import { mkdir } from "node:fs/promises";
import path from "node:path";
import { pathInside } from "../../files/paths.ts";
import { callerGit } from "../../inspect/files/run-files.ts";
import type { RunId, RunState, RunWorktree } from "../../machine/model/run-state.ts";
import type { AgentWorktree } from "../../machine/model/worktree.ts";
import type { Caller } from "../../wire/caller.ts";
import { isFolder } from "../../wire/system/system.ts";
import { userStateFolder } from "../../wire/trust/user-state-folder.ts";
import { type Changes, fileChanges, sumOf } from "../../workspaces/changes.ts";
import { type CommittedWork, commitWork } from "../../workspaces/commit-work.ts";
import { copyFiles } from "../../workspaces/copy-files.ts";
import { workspaceErrors } from "../../workspaces/errors.ts";
import { commitOf, FolderSnapshots, headOf } from "../../workspaces/folder-snapshots.ts";
import type { Git } from "../../workspaces/git.ts";
import { openPlainGit } from "../../workspaces/plain-git.ts";
import { refOf, savedRef } from "../../workspaces/refs.ts";
import { findRepository, inCommon, inTree, type Repository } from "../../workspaces/repository.ts";
import { requireWorktreeOf } from "../../workspaces/repository-guard.ts";
import {
  createWorktree,
  discardFolder,
  isOwnFolder,
  rebuildWorktree,
  removeFolder,
  worktreesFolder,
} from "../../workspaces/worktree.ts";
import { hasUnsaved, openedWorktree } from "../../workspaces/worktree-work.ts";

/** A worktree that a new run requests. */
export interface WantedWorktree {
  readonly run: string;
  /** Default: the id of the run. */
  readonly name: string | null;
  /** The checkout. */
  readonly origin: string;
  /** The state of the files to start from; null: the commit that is checked out. */
  readonly from: { readonly snapshot: string; readonly head: string } | null;
  /** Files to copy from the checkout, relative to its top. */
  readonly copy?: readonly string[];
  /** The commit to start from; null or absent: the one that is checked out. */
  readonly base?: string | null;
}

/** For the git directories of raymond: `Artifacts.snapshots`. */
interface Own {
  readonly snapshots: string;
}

export interface MadeWorktree {
  readonly worktree: RunWorktree;
  /** The launch folder in the worktree. */
  readonly launchDir: string;
  readonly warnings: readonly string[];
  /** Removes it again, if the run cannot start. */
  remove(): Promise<void>;
}

/** Creates a branch and a worktree for a new run. `record`: called before git creates anything. */
export async function makeWorktree(
  { run, name, origin, from, copy = [], base: wanted = null }: WantedWorktree,
  { snapshots, root }: Own & { readonly root: string },
  caller: Caller,
  record: (worktree: RunWorktree) => Promise<void>,
): Promise<MadeWorktree> {
  const git = await callerGit(caller);
  const repository = await repositoryOf(origin, git);
  const { head } = await headOf({ git, repository });
  const named = wanted === null ? null : await commitOf(wanted, repository.commonDir, git);
  if (wanted !== null && named === null)
    throw workspaceErrors["workspace/unknown-base"](wanted, repository.top);
  const base = from?.head ?? named ?? head;
  if (base === null) throw workspaceErrors["workspace/no-commit"](repository.top);
  const branch = `raymond/${name ?? run}`;
  const parent = worktreesFolder(repository, userStateFolder(caller.env));
  const folder = path.join(parent, name ?? run);
  const own = path.join(snapshots, "main");
  const snapshot = from?.snapshot ?? null;
  const worktree = { folder, branch, base, origin, ...(copy.length > 0 && { copy }) };
  const wantedTree = { run, folder, branch, base, snapshot };
  await createWorktree(wantedTree, { own }, repository, git, () => record(worktree));
  const inside = pathInside(repository.top, root);
  const others = inside === null || inside === "" ? [] : [`:(top,exclude,literal)${inside}`];
  const changed =
    from === null
      ? await git.try(["status", "--porcelain", "--", ":/", ...others], inTree(repository))
      : null;
  const warnings =
    changed?.ok === true && changed.output !== ""
      ? [
          `${repository.top} has uncommitted changes: the worktree starts from ${base.slice(0, 12)}, without them.`,
        ]
      : [];
  const launchDir = path.join(folder, pathInside(repository.top, origin) ?? "");
  const remove = () => removeWorktree(worktree, repository.commonDir, git);
  try {
    await copyFiles(copy, { from: repository.top, to: folder }, git);
    // The base may lack the folder.
    await mkdir(launchDir, { recursive: true });
  } catch (error) {
    await remove();
    throw error;
  }
  return { worktree, launchDir, warnings, remove };
}

/** What a run leaves behind in its worktree. */
export interface EndedWorktree {
  readonly worktree: RunWorktree;
  /** What the branch has more than the commit that it started from. */
  readonly changes: Changes;
  readonly work: CommittedWork;
  /** Nothing was changed, so the worktree and the branch are removed. */
  readonly removed: boolean;
}

/** Commits the files of a completed run on its branch. */
export async function endWorktree(
  { id, worktree }: RunState,
  { snapshots }: Own,
  caller: Caller,
): Promise<EndedWorktree | null> {
  if (worktree === undefined) return null;
  const git = await callerGit(caller);
  const made = await findRepository(worktree.folder, git);
  const repository = await repositoryOf(worktree.origin, git);
  if (made === null) return null;
  requireWorktreeOf(repository.commonDir, made);
  const own = path.join(snapshots, "commit");
  const work = await commitWork(`raymond: files of run ${id}`, made, { own }, git);
  const { head: tip } = await headOf({ git, repository: made });
  const plain = await openPlainGit(repository, { folder: own }, git);
  const changes = sumOf(await fileChanges(worktree.base, tip ?? worktree.base, plain));
  const isEmpty = work.kind === "nothing" && work.skipped.length === 0;
  const removed = isEmpty && tip === worktree.base;
  if (removed) await removeWorktree(worktree, repository.commonDir, git);
  return { worktree, changes, work, removed };
}

/** Creates the worktree of a run again if it was deleted. */
export async function ensureWorktree(
  { id, worktree }: RunState,
  { snapshots }: Own,
  caller: Caller,
): Promise<void> {
  if (worktree === undefined || isFolder(worktree.folder)) return;
  const git = await callerGit(caller);
  const repository = await repositoryOf(worktree.origin, git);
  const { folder, branch, base } = worktree;
  const stateFolder = userStateFolder(caller.env);
  const place = { own: path.join(snapshots, "main"), base, ref: refOf(id), stateFolder };
  await rebuildWorktree({ run: id, folder, branch }, place, repository, git);
  await copyFiles(worktree.copy ?? [], { from: repository.top, to: folder }, git);
}

/**
 * Removes the worktrees of a run that is deleted, and those of its agents. Uncommitted files are saved first, and their
 * refs returned. A branch with commits of its own remains, and so does a folder that is not of raymond, which the state
 * file of a hostile repository can name, or whose git directory is gone: its files cannot be saved.
 */
export async function discardWorktrees(
  run: RunState,
  { snapshots }: Own,
  caller: Caller,
): Promise<readonly string[]> {
  const { id, worktree } = run;
  const git = await callerGit(caller);
  const stateFolder = userStateFolder(caller.env);
  const own = { id, at: caller.now(), snapshots };
  const refs: string[] = [];
  for (const { folder, branch, base, repository } of agentWorktrees(run)) {
    if (!isFolder(repository) || !isOwnFolder(folder, stateFolder)) continue;
    const saved = await saveFiles(folder, repository, own, git);
    if (saved === null) continue;
    refs.push(...saved);
    await discardFolder(folder, repository, stateFolder, git);
    await removeBranch({ branch, base }, repository, git);
  }
  if (worktree === undefined || !isOwnFolder(worktree.folder, stateFolder)) return refs;
  const repository = isFolder(worktree.origin) ? await findRepository(worktree.origin, git) : null;
  if (repository === null) return refs;
  const saved = await saveFiles(worktree.folder, repository.commonDir, own, git);
  if (saved === null) return refs;
  await removeWorktree(worktree, repository.commonDir, git);
  return [...refs, ...saved];
}

/** Whether a run has or had a worktree, or one of its agents. */
export function hasWorktrees(run: RunState): boolean {
  return run.worktree !== undefined || agentWorktrees(run).length > 0;
}

/**
 * Removes a worktree in which no step of the run `id` has worked, and which may be incomplete. Its files are saved:
 * the record of a hostile repository can name the worktree of another run.
 */
export async function discardIncomplete(
  id: RunId,
  { origin, folder, branch, base }: RunWorktree,
  { snapshots }: Own,
  caller: Caller,
): Promise<void> {
  const git = await callerGit(caller);
  const stateFolder = userStateFolder(caller.env);
  const repository = isFolder(origin) ? await findRepository(origin, git) : null;
  if (repository === null || !isOwnFolder(folder, stateFolder)) return;
  await saveFiles(folder, repository.commonDir, { id, at: caller.now(), snapshots }, git);
  await discardFolder(folder, repository.commonDir, stateFolder, git);
  await removeBranch({ branch, base }, repository.commonDir, git);
}

/** The worktrees of agents, also of ended ones. */
export function agentWorktrees({ agents, closing, kept }: RunState): readonly AgentWorktree[] {
  return [...agents.flatMap(({ worktree }) => worktree ?? []), ...(closing ?? []), ...(kept ?? [])];
}

/** Saves uncommitted files, and returns the ref. Null: the folder exists and is no worktree. */
async function saveFiles(
  folder: string,
  commonDir: string,
  { id, at, snapshots }: Own & { readonly id: string; readonly at: number },
  git: Git,
): Promise<readonly string[] | null> {
  if (!isFolder(folder)) return [];
  const made = await openedWorktree(folder, git);
  if (made === null) return null;
  requireWorktreeOf(commonDir, made);
  if (!(await hasUnsaved(made, { own: path.join(snapshots, "status") }, git))) return [];
  const plain = await openPlainGit(made, { folder: path.join(snapshots, "saved") }, git);
  const ref = savedRef(id, `${String(at)}-${path.basename(folder)}`);
  const files = new FolderSnapshots({ plain, ref, maxFileBytes: Number.POSITIVE_INFINITY }, null);
  await files.take(`raymond: files of the deleted run ${id}`);
  return [ref];
}

/** The branch remains if it has commits of its own, or is checked out elsewhere. */
async function removeWorktree(
  { folder, branch, base }: RunWorktree,
  commonDir: string,
  git: Git,
): Promise<void> {
  await removeFolder(folder, commonDir, git).catch((error: unknown) => {
    if (isFolder(folder)) throw error;
  });
  await removeBranch({ branch, base }, commonDir, git);
}

/** With its old value: a branch with commits remains. One that is checked out elsewhere remains too. */
async function removeBranch(
  { branch, base }: Pick<RunWorktree, "branch" | "base">,
  commonDir: string,
  git: Git,
): Promise<void> {
  if ((await commitOf(`refs/heads/${branch}`, commonDir, git)) !== base) return;
  await git.try(["branch", "--quiet", "-D", "--", branch], inCommon(commonDir));
}

async function repositoryOf(origin: string, git: Git): Promise<Repository> {
  const found = isFolder(origin) ? await findRepository(origin, git) : null;
  if (found === null) throw workspaceErrors["workspace/no-repository"](origin);
  return found;
}
