import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { workspaceErrors } from "./errors.ts";
import { commitOf, FolderSnapshots, lastSnapshot } from "./folder-snapshots.ts";
import type { Git } from "./git.ts";
import { openPlainGit } from "./plain-git.ts";
import { findRepository, inCommon, inTree, type Repository } from "./repository.ts";
import { makeWorktreesFolder } from "./state-folder.ts";

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
  { commonDir }: Repository,
  git: Git,
  record: () => Promise<void>,
): Promise<void> {
  await requireFree({ folder, branch }, commonDir, git);
  await record();
  await makeWorktreesFolder(path.dirname(folder));
  try {
    await createBranch(branch, base, commonDir, git);
    await addWorktree({ run, folder, branch, snapshot }, { own }, commonDir, git);
  } catch (error) {
    await removeFolder(folder, commonDir, git).catch(() => undefined);
    await git.try(["branch", "--quiet", "-D", "--", branch], inCommon(commonDir));
    throw error;
  }
}

/** Throws a RaymondError if the branch or the folder cannot be created. */
export async function requireFree(
  { folder, branch }: Pick<WorktreePlace, "folder" | "branch">,
  commonDir: string,
  git: Git,
): Promise<void> {
  const checked = await git.try(["check-ref-format", "--branch", branch], inCommon(commonDir));
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
  await git.run(args, inCommon(commonDir));
}

/** Adds a worktree for an existing branch, which is at `base`, and locks it. */
export async function addWorktree(
  { run, folder, branch, snapshot }: Omit<NewWorktree, "base">,
  { own }: Own,
  commonDir: string,
  git: Git,
): Promise<void> {
  const common = inCommon(commonDir);
  await mkdir(path.join(commonDir, "worktrees"), { recursive: true });
  const how = ["--quiet", ...(snapshot === null ? [] : ["--no-checkout"])];
  await git.run(["worktree", "add", ...how, "--", folder, branch], common);
  await completeEntry(folder, commonDir, git);
  if (snapshot !== null) await writeFiles(snapshot, await openWorktree(folder, git), { own }, git);
  // `git worktree prune` and other runs leave a locked worktree alone.
  const lock = ["worktree", "lock", "--reason", `raymond run ${run}`, "--", folder];
  await git.run(lock, common);
}

/** Connects a worktree with the repository instead of the git directory of raymond. */
async function completeEntry(folder: string, commonDir: string, git: Git): Promise<void> {
  const pointer = path.join(folder, ".git");
  const id = path.basename((await readFile(pointer, "utf8")).trimEnd());
  const gitDir = path.join(commonDir, "worktrees", id);
  await writeFile(pointer, `gitdir: ${gitDir}\n`);
  // Git has copied the patterns of a sparse checkout, but not a setting that only the other worktree has.
  if (!existsSync(path.join(gitDir, "info", "sparse-checkout"))) return;
  const cone = await git.try(["config", "--get", "core.sparseCheckoutCone"], inCommon(commonDir));
  const settings = [
    "sparseCheckout = true",
    ...(cone.ok ? [`sparseCheckoutCone = ${cone.output}`] : []),
  ];
  await writeFile(
    path.join(gitDir, "config.worktree"),
    ["[core]", ...settings.map((each) => `\t${each}`), ""].join("\n"),
  );
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
  await addWorktree({ run, folder, branch, snapshot }, { own }, commonDir, git);
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
  await git.try(args, inCommon(commonDir));
  await rm(folder, { recursive: true, force: true });
  // A killed git leaves an incomplete entry that no command of git removes.
  const entry = path.join(commonDir, "worktrees", path.basename(folder));
  if (!existsSync(path.join(entry, "HEAD"))) await rm(entry, { recursive: true, force: true });
}

/** Removes a worktree whose files are saved. Its branch remains. */
export async function removeFolder(folder: string, commonDir: string, git: Git): Promise<void> {
  const args = ["worktree", "remove", "--force", "--force", "--", folder];
  await git.run(args, inCommon(commonDir));
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

/** Writes the files of a snapshot, and an index that has the files of HEAD. */
async function writeFiles(
  snapshot: string,
  worktree: Repository,
  { own }: Own,
  git: Git,
): Promise<void> {
  const plain = await openPlainGit(worktree, { folder: own }, git);
  await new FolderSnapshots({ plain, ref: null }, null).checkOut(snapshot);
  await git.run(["read-tree", "HEAD"], inTree(worktree));
}
