import { mkdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { FolderSnapshots } from "../../workspaces/folder-snapshots.ts";
import type { Git, GitCall } from "../../workspaces/git.ts";
import { openPlainGit } from "../../workspaces/plain-git.ts";
import { inTree, type Repository } from "../../workspaces/repository.ts";
import { readSnapshot, type SnapshotCommit } from "../../workspaces/snapshot-commit.ts";
import { NETWORK_MS, type Repositories } from "./remote.ts";

export interface Clone {
  /** Its top-level folder. */
  readonly folder: string;
  /** Calls git on the clone without its configuration, even if its `.git` is gone: never on a repository around it. */
  readonly git: (args: readonly string[], call?: Omit<GitCall, "cwd">) => Promise<string>;
  readonly snapshots: FolderSnapshots;
  /** The last snapshot, or the commit that the run started from. */
  readonly last: SnapshotCommit;
}

export interface CloneSource {
  readonly folder: string;
  /** For the git directory of snapshots: no step may write to it. */
  readonly snapshots: string;
  readonly repository: string;
  /** A snapshot, or the commit that the run starts from. */
  readonly commit: string;
}

/** The clone that this machine has of a run, unchanged; null if there is none. */
export async function existingClone(source: CloneSource, git: Git): Promise<Clone | null> {
  const found = await stat(indexOf(source.folder)).catch(() => null);
  return found === null ? null : openClone(source, git);
}

/** Makes a new clone with the files of a commit. A snapshot restores committed and uncommitted files. */
export async function makeClone(
  source: CloneSource,
  repositories: Repositories,
  git: Git,
): Promise<Clone> {
  const { folder, repository, commit } = source;
  const bare = await repositories.withCommit(repository, commit);
  await rm(folder, { recursive: true, force: true });
  const parent = path.dirname(folder);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const timeoutMs = NETWORK_MS;
  // A local clone has all objects of the bare repository, even those of no branch.
  const clone = ["clone", "--quiet", "--local", "--no-checkout", "--", bare, folder];
  await git.run(clone, { cwd: parent, timeoutMs, network: true });
  // With the configuration of the new clone: git LFS downloads from its remote.
  const run = (...args: readonly string[]) =>
    git.run(args, { cwd: folder, timeoutMs, network: true });
  await run("remote", "set-url", "origin", repository);
  const { head, branch, isSnapshot } = await readSnapshot(commit, (args) => run(...args));
  const checkedOut = head ?? commit;
  await run("update-ref", "--no-deref", "HEAD", checkedOut);
  if (branch !== null) {
    await run("branch", "--quiet", "--force", "--no-track", branch, checkedOut);
    await run("symbolic-ref", "HEAD", `refs/heads/${branch}`);
  }
  // The bytes of a snapshot are those of the files. Those of other commits are converted.
  if (!isSnapshot) await run("read-tree", "-u", "--reset", commit);
  const made = await openClone(source, git);
  await made.snapshots.checkOut(isSnapshot ? commit : null);
  if (isSnapshot) await run("read-tree", checkedOut);
  return made;
}

async function openClone({ folder, snapshots, commit }: CloneSource, git: Git): Promise<Clone> {
  const gitDir = path.join(folder, ".git");
  const inClone = gitIn(folder, git);
  const repository: Repository = { top: folder, gitDir, commonDir: gitDir };
  const place = { folder: snapshots, index: indexOf(folder) };
  const plain = await openPlainGit(repository, place, git);
  const last = await readSnapshot(commit, inClone);
  return { folder, git: inClone, snapshots: new FolderSnapshots({ plain, ref: null }, last), last };
}

function gitIn(folder: string, git: Git): Clone["git"] {
  const gitDir = path.join(folder, ".git");
  const repository = { top: folder, gitDir, commonDir: gitDir };
  return (args, call = {}) => git.run(args, { ...call, ...inTree(repository) });
}

function indexOf(folder: string): string {
  return path.join(folder, ".git", "raymond-index");
}
