import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { workspaceErrors } from "./errors.ts";
import { commitOf, FolderSnapshots, lastSnapshot } from "./folder-snapshots.ts";
import type { Git } from "./git.ts";
import { openPlainGit } from "./plain-git.ts";
import { refOf } from "./refs.ts";
import { findRepository, type Repository } from "./repository.ts";

/** A worktree of a run. */
export interface WorktreePlace {
  readonly run: string;
  /** Its top-level folder: absolute. */
  readonly folder: string;
  readonly branch: string;
}

export interface NewWorktree extends WorktreePlace {
  /** The commit that the branch starts from. */
  readonly base: string;
  /** A snapshot whose files the worktree gets; null: those of `base`. */
  readonly snapshot: string | null;
}

/** For the git directory of raymond. */
type Own = { readonly own: string };

/** Creates a branch and a worktree for a run. Rejects with a RaymondError, and then leaves no worktree behind. */
export async function createWorktree(
  { run, folder, branch, base, snapshot }: NewWorktree,
  { own }: Own,
  repository: Repository,
  git: Git,
): Promise<Repository> {
  const { top, commonDir } = repository;
  const checked = await git.try(["check-ref-format", "--branch", branch], { cwd: top });
  if (!checked.ok) throw workspaceErrors["workspace/bad-branch"](branch);
  if ((await commitOf(`refs/heads/${branch}`, commonDir, git)) !== null)
    throw workspaceErrors["workspace/branch-exists"](branch);
  if (existsSync(folder)) throw workspaceErrors["workspace/worktree-exists"](folder);
  await mkdir(path.dirname(folder), { recursive: true, mode: 0o700 });
  const usesGit = snapshot === null && !(await hasOwnFilters(top, git));
  const how = ["--quiet", "--no-track", ...(usesGit ? [] : ["--no-checkout"])];
  await git.run(["worktree", "add", ...how, "-b", branch, "--", folder, base], { cwd: top });
  try {
    const made = await openWorktree(folder, git);
    await lock({ run, folder }, top, git);
    if (!usesGit)
      await writeFiles(snapshot ?? base, made, { own, converts: snapshot === null }, git);
    return made;
  } catch (error) {
    await removeFolder(folder, top, git).catch(() => undefined);
    await git.try(["branch", "--quiet", "-D", "--", branch], { cwd: top });
    throw error;
  }
}

/** Creates a deleted worktree again, from its branch and the last snapshot of the run. */
export async function rebuildWorktree(
  { run, folder, branch }: WorktreePlace,
  { own, base }: Own & { readonly base: string },
  repository: Repository,
  git: Git,
): Promise<void> {
  const { top, commonDir } = repository;
  await git.try(["worktree", "remove", "--force", "--force", "--", folder], { cwd: top });
  const plain = await openPlainGit(repository, { folder: own }, git);
  const last = await lastSnapshot(refOf(run), plain);
  const exists = (await commitOf(`refs/heads/${branch}`, commonDir, git)) !== null;
  const what = exists ? ["--", folder, branch] : ["-b", branch, "--", folder, last?.head ?? base];
  const how = ["--quiet", ...(last === null ? [] : ["--no-checkout"])];
  await git.run(["worktree", "add", ...how, ...what], { cwd: top });
  await lock({ run, folder }, top, git);
  if (last === null) return;
  const files = { own, converts: false };
  await writeFiles(last.commit, await openWorktree(folder, git), files, git);
}

/** Removes a worktree whose files are saved. Its branch remains. */
export async function removeFolder(folder: string, top: string, git: Git): Promise<void> {
  await git.run(["worktree", "remove", "--force", "--force", "--", folder], { cwd: top });
}

async function openWorktree(folder: string, git: Git): Promise<Repository> {
  const found = await findRepository(folder, git);
  if (found === null) throw workspaceErrors["workspace/git-failed"]("worktree", "no worktree");
  return found;
}

/** `git worktree prune` and other runs leave a locked worktree alone. */
async function lock(
  { run, folder }: Pick<WorktreePlace, "run" | "folder">,
  top: string,
  git: Git,
): Promise<void> {
  await git.run(["worktree", "lock", "--reason", `raymond run ${run}`, "--", folder], { cwd: top });
}

/** Whether the configuration of the repository defines filters, which a checkout would run. */
async function hasOwnFilters(top: string, git: Git): Promise<boolean> {
  const names = "^filter\\..*\\.(smudge|process)$";
  return (await git.try(["config", "--local", "--includes", "--get-regexp", names], { cwd: top }))
    .ok;
}

/** Writes the files of a commit without filters of the repository, and an index that has the files of HEAD. */
async function writeFiles(
  commit: string,
  worktree: Repository,
  { own, converts }: Own & { readonly converts: boolean },
  git: Git,
): Promise<void> {
  const plain = await openPlainGit(worktree, { folder: own, converts }, git);
  await new FolderSnapshots({ plain, ref: null }, null).checkOut(commit);
  // Without a refresh, which would run filters of the repository.
  await git.run(["read-tree", "HEAD"], { cwd: worktree.top });
}
