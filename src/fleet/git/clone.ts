import { chmod, copyFile, mkdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { fleetErrors } from "../errors.ts";
import type { Git, GitCall } from "./git.ts";
import { NETWORK_MS } from "./remote.ts";
import type { Repositories } from "./repositories.ts";
import { readSnapshot, type SnapshotCommit } from "./snapshot-commit.ts";

/** The clone that a run works in. */
export interface Clone {
  /** Its top. */
  readonly folder: string;
  /** Calls git on it, whatever was done to it: never on a repository around it. */
  readonly git: (args: readonly string[], call?: Omit<GitCall, "cwd">) => Promise<string>;
  /** The index of the snapshots: that of the run is its own. */
  readonly index: string;
  /** The files that it has, as far as they were ever kept. */
  readonly last: SnapshotCommit;
}

/** What is to be in a clone. */
export interface CloneOf {
  readonly folder: string;
  /** The URL that it is a clone of. */
  readonly repository: string;
  /** A snapshot, or the commit that the run begins at. */
  readonly commit: string;
}

/** The clone that this machine has of a run, as it was left; null where there is none. */
export async function existingClone(of: CloneOf, git: Git): Promise<Clone | null> {
  const there = await stat(indexOf(of.folder)).catch(() => null);
  if (there === null) return null;
  return cloneAt(of, git);
}

/**
 * A new clone, with the files of that commit: those of a snapshot are as its run has left them, what it had
 * committed and what it had not.
 */
export async function makeClone(of: CloneOf, repositories: Repositories, git: Git): Promise<Clone> {
  const { folder, repository, commit } = of;
  const bare = await repositories.withCommit(repository, commit);
  await rm(folder, { recursive: true, force: true });
  await mkdir(path.dirname(folder), { recursive: true, mode: 0o700 });
  const slow = { cwd: path.dirname(folder), timeoutMs: NETWORK_MS };
  // Whatever was fetched lies there with it, also where no branch has it.
  await git.run(["clone", "--quiet", "--local", "--no-checkout", "--", bare, folder], slow);
  const call = { cwd: folder, timeoutMs: NETWORK_MS };
  const ask = (...args: readonly string[]) => git.run([...dirOf(folder), ...args], call);
  await ask("remote", "set-url", "origin", repository);
  const { head, branch } = await readSnapshot(commit, git, { ...call, dir: dirOf(folder) });
  await ask("update-ref", "--no-deref", "HEAD", head);
  if (branch !== null) {
    await ask("branch", "--quiet", "--force", "--no-track", branch, head);
    await ask("symbolic-ref", "HEAD", `refs/heads/${branch}`);
  }
  await ask("read-tree", "-u", "--reset", commit);
  await copyFile(path.join(folder, ".git", "index"), indexOf(folder));
  // Git may run as another user than this process, whose umask may hide the copy from it.
  await chmod(indexOf(folder), 0o644);
  await ask("reset", "--quiet", "--mixed");
  return cloneAt(of, git);
}

/** Makes a folder, and those above it, where they are missing. */
export type MakeFolder = (folder: string) => Promise<void>;

/** The folder of a clone that a run works in: git keeps none that is empty. */
export async function folderIn(
  clone: Clone,
  subfolder: string,
  makeFolder: MakeFolder,
): Promise<string> {
  const folder = path.join(clone.folder, subfolder);
  try {
    await makeFolder(folder);
  } catch {
    throw fleetErrors["fleet/bad-subfolder"](subfolder, "is no folder in that commit");
  }
  return folder;
}

/** Makes those of these folders that are to be in the clone. */
export async function keepFolders(
  clone: Clone,
  folders: readonly string[],
  makeFolder: MakeFolder,
): Promise<void> {
  for (const folder of folders) {
    const way = path.relative(clone.folder, folder);
    if (way.split(path.sep)[0] === ".." || path.isAbsolute(way)) continue;
    await makeFolder(folder);
  }
}

async function cloneAt({ folder, commit }: CloneOf, git: Git): Promise<Clone> {
  const dir = dirOf(folder);
  return {
    folder,
    git: (args, call = {}) => git.run([...dir, ...args], { ...call, cwd: folder }),
    index: indexOf(folder),
    last: await readSnapshot(commit, git, { cwd: folder, dir }),
  };
}

function dirOf(folder: string): readonly string[] {
  return [`--git-dir=${path.join(folder, ".git")}`, `--work-tree=${folder}`];
}

function indexOf(folder: string): string {
  return path.join(folder, ".git", "raymond-index");
}
