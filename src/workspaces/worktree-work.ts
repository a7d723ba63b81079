import { realpath } from "node:fs/promises";
import path from "node:path";
import { headOf } from "./folder-snapshots.ts";
import type { Git } from "./git.ts";
import { openPlainGit } from "./plain-git.ts";
import { findRepository, inTree, type Repository } from "./repository.ts";

/** The work in a worktree that would be lost with it, or that no other branch has. */
export interface WorktreeWork {
  /** Some files are in no commit. Ignored files do not count. */
  readonly isUnsaved: boolean;
  /** The number of commits that no other branch contains. */
  readonly unmerged: number;
}

/** Null: the folder is no worktree. `own`: a folder for the git directory of raymond. */
export async function worktreeWork(
  { folder, branch }: { readonly folder: string; readonly branch: string },
  { own }: { readonly own: string },
  git: Git,
): Promise<WorktreeWork | null> {
  const worktree = await openedWorktree(folder, git);
  if (worktree === null) return null;
  const isUnsaved = await hasUnsaved(worktree, { own }, git);
  // The pattern is relative to refs/heads, and applies to `--branches`.
  const others = ["--not", `--exclude=${branch}`, "--branches", "--remotes"];
  const counted = await git.try(["rev-list", "--count", "HEAD", ...others], inTree(worktree));
  return { isUnsaved, unmerged: counted.ok ? Number(counted.output) : 0 };
}

/** The worktree in a folder. Null: without its git directory, git finds a repository around the folder. */
export async function openedWorktree(folder: string, git: Git): Promise<Repository | null> {
  const found = await findRepository(folder, git);
  return found !== null && found.top === (await realpath(folder)) ? found : null;
}

/** Whether files of a worktree are in no commit. Runs no filter that a step could have configured. */
export async function hasUnsaved(
  worktree: Repository,
  { own }: { readonly own: string },
  git: Git,
): Promise<boolean> {
  const index = path.join(worktree.gitDir, "index");
  const plain = await openPlainGit(worktree, { folder: own, index, converts: true }, git);
  await plain.exclude([]);
  const { head } = await headOf(plain);
  const tree = head ?? (await git.run(["hash-object", "-t", "tree", "--stdin"], plain.call()));
  const changed = await git.run([...DIFF, tree, "--"], plain.call());
  if (changed !== "") return true;
  const others = ["ls-files", "--others", "--exclude-standard", "--directory", "-z"];
  return (await git.run(others, plain.call())) !== "";
}

const DIFF = ["diff", "--name-only", "-z", "--no-ext-diff", "--no-textconv"];
