import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { workspaceErrors } from "./errors.ts";
import { commitOf, FolderSnapshots, lastSnapshot } from "./folder-snapshots.ts";
import type { Git } from "./git.ts";
import { openPlainGit } from "./plain-git.ts";
import { findRepository, type Repository } from "./repository.ts";

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

/**
 * Creates a branch and a worktree for a run. Rejects with a RaymondError, and then leaves no worktree behind. `record`:
 * called before anything is created.
 */
export async function createWorktree(
  { run, folder, branch, base, snapshot }: NewWorktree,
  { own }: Own,
  { top, commonDir }: Repository,
  git: Git,
  record: () => Promise<void>,
): Promise<void> {
  await requireFree({ folder, branch }, commonDir, git);
  await record();
  await mkdir(path.dirname(folder), { recursive: true, mode: 0o700 });
  try {
    await createBranch(branch, base, commonDir, git);
    await addWorktree({ run, folder, branch, base, snapshot }, { own }, commonDir, git);
  } catch (error) {
    await removeFolder(folder, top, git).catch(() => undefined);
    await git.try(["branch", "--quiet", "-D", "--", branch], { cwd: top });
    throw error;
  }
}

/** Throws a RaymondError if the branch or the folder cannot be created. */
export async function requireFree(
  { folder, branch }: Pick<WorktreePlace, "folder" | "branch">,
  commonDir: string,
  git: Git,
): Promise<void> {
  const checked = await git.try(...inCommon(commonDir, ["check-ref-format", "--branch", branch]));
  if (!checked.ok) throw workspaceErrors["workspace/bad-branch"](branch);
  if ((await commitOf(`refs/heads/${branch}`, commonDir, git)) !== null)
    throw workspaceErrors["workspace/branch-exists"](branch);
  if (existsSync(folder)) throw workspaceErrors["workspace/worktree-exists"](folder);
}

/** Rejects if the branch exists. */
export async function createBranch(
  branch: string,
  base: string,
  commonDir: string,
  git: Git,
): Promise<void> {
  // An empty old value: the ref must not exist.
  const args = ["update-ref", "-m", "raymond: worktree", `refs/heads/${branch}`, base, ""];
  await git.run(...inCommon(commonDir, args));
}

/** Adds a worktree for an existing branch, which is at `base`, and locks it. */
export async function addWorktree(
  { run, folder, branch, base, snapshot }: NewWorktree,
  { own }: Own,
  commonDir: string,
  git: Git,
): Promise<void> {
  const usesGit = snapshot === null && !(await hasOwnFilters(commonDir, git));
  const how = ["--quiet", ...(usesGit ? [] : ["--no-checkout"])];
  await git.run(...inCommon(commonDir, ["worktree", "add", ...how, "--", folder, branch]));
  if (!usesGit) {
    const files = { own, converts: snapshot === null };
    await writeFiles(snapshot ?? base, await openWorktree(folder, git), files, git);
  }
  // `git worktree prune` and other runs leave a locked worktree alone.
  const lock = ["worktree", "lock", "--reason", `raymond run ${run}`, "--", folder];
  await git.run(...inCommon(commonDir, lock));
}

export interface RebuildOptions extends Own {
  /** The folder of raymond for data of the user. */
  readonly stateFolder: string;
  readonly base: string;
  /** Keeps the last snapshot of the worktree. */
  readonly ref: string;
}

/** Creates a deleted worktree again, from its branch and its last snapshot. */
export async function rebuildWorktree(
  { run, folder, branch }: WorktreePlace,
  { own, base, ref, stateFolder }: RebuildOptions,
  repository: Repository,
  git: Git,
): Promise<void> {
  const { commonDir } = repository;
  await discardFolder(folder, commonDir, stateFolder, git);
  const plain = await openPlainGit(repository, { folder: own }, git);
  const last = await lastSnapshot(ref, plain);
  const tip = await commitOf(`refs/heads/${branch}`, commonDir, git);
  const start = tip ?? last?.head ?? base;
  if (tip === null) await createBranch(branch, start, commonDir, git);
  // Later commits contain the files of an earlier snapshot.
  const snapshot = last?.head === start ? last.commit : null;
  await addWorktree({ run, folder, branch, base: start, snapshot }, { own }, commonDir, git);
}

/**
 * Removes what is left of a worktree that is deleted or was never complete. Rejects with `workspace/foreign-folder`.
 * `stateFolder`: the folder of raymond for data of the user.
 */
export async function discardFolder(
  folder: string,
  commonDir: string,
  stateFolder: string,
  git: Git,
): Promise<void> {
  if (!isOwnFolder(folder, stateFolder)) throw workspaceErrors["workspace/foreign-folder"](folder);
  const args = ["worktree", "remove", "--force", "--force", "--", folder];
  await git.try(...inCommon(commonDir, args));
  await rm(folder, { recursive: true, force: true });
  // A killed git leaves an incomplete entry that no command of git removes.
  const entry = path.join(commonDir, "worktrees", path.basename(folder));
  if (!existsSync(path.join(entry, "HEAD"))) await rm(entry, { recursive: true, force: true });
}

/** Removes a worktree whose files are saved. Its branch remains. */
export async function removeFolder(folder: string, top: string, git: Git): Promise<void> {
  await git.run(["worktree", "remove", "--force", "--force", "--", folder], { cwd: top });
}

/** Arguments of git for a repository that is named by its shared git directory. */
export function inCommon(
  commonDir: string,
  args: readonly string[],
): [readonly string[], { readonly cwd: string }] {
  return [[`--git-dir=${commonDir}`, ...args], { cwd: commonDir }];
}

/** The folder that gets the worktrees of a repository: `stateFolder` is of the user. */
export function worktreesFolder({ commonDir, top }: Repository, stateFolder: string): string {
  const hash = createHash("sha256").update(commonDir).digest("hex").slice(0, 8);
  const isOwn = path.basename(commonDir) === ".git";
  const name = path.basename(isOwn ? path.dirname(commonDir) : top);
  return path.join(stateFolder, "worktrees", `${name}-${hash}`);
}

/**
 * Whether raymond may delete a folder: its worktrees are in a folder of their repository. A state file cannot decide
 * that, because those of a hostile repository can name any folder.
 */
export function isOwnFolder(folder: string, stateFolder: string): boolean {
  const parent = path.dirname(path.dirname(path.resolve(folder)));
  return resolved(parent) === resolved(path.join(stateFolder, "worktrees"));
}

/** With links resolved, if it exists. */
function resolved(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : folder;
}

async function openWorktree(folder: string, git: Git): Promise<Repository> {
  const found = await findRepository(folder, git);
  if (found === null) throw workspaceErrors["workspace/git-failed"]("worktree", "no worktree");
  return found;
}

/** Whether the configuration of the repository defines filters, which a checkout would run. */
async function hasOwnFilters(commonDir: string, git: Git): Promise<boolean> {
  const names = "^filter\\..*\\.(smudge|process)$";
  const args = ["config", "--local", "--includes", "--get-regexp", names];
  return (await git.try(...inCommon(commonDir, args))).ok;
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
