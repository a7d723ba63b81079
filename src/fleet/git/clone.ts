import { chmod, copyFile, mkdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { Git, GitCall } from "./git.ts";
import { NETWORK_MS, type Repositories } from "./remote.ts";

/** The clone that a run works in. */
export interface Clone {
  /** Its top-level folder. */
  readonly folder: string;
  /** Calls git on the clone, even if its `.git` is gone: never on a repository around it. */
  readonly git: (args: readonly string[], call?: Omit<GitCall, "cwd">) => Promise<string>;
  /** The index file of snapshots, separate from the index of the run. */
  readonly index: string;
  /** The last snapshot. */
  readonly last: SnapshotCommit;
}

/** A commit that stores the files of a workspace, and the HEAD of the workspace. */
export interface SnapshotCommit {
  readonly commit: string;
  readonly tree: string;
  /** The commit that was checked out. */
  readonly head: string;
  /** The branch that was checked out; null: none. */
  readonly branch: string | null;
}

/** The wanted content of a clone. */
export interface CloneSource {
  readonly folder: string;
  /** The URL of the remote. */
  readonly repository: string;
  /** A snapshot, or the commit that the run starts from. */
  readonly commit: string;
}

/** The clone that this machine has of a run, unchanged; null if there is none. */
export async function existingClone(
  { folder, commit }: CloneSource,
  git: Git,
): Promise<Clone | null> {
  const found = await stat(indexOf(folder)).catch(() => null);
  if (found === null) return null;
  const inClone = gitIn(folder, git);
  return {
    folder,
    git: inClone,
    index: indexOf(folder),
    last: await readSnapshot(commit, inClone),
  };
}

/** Makes a new clone with the files of a commit. A snapshot restores committed and uncommitted files. */
export async function makeClone(
  { folder, repository, commit }: CloneSource,
  repositories: Repositories,
  git: Git,
): Promise<Clone> {
  const bare = await repositories.withCommit(repository, commit);
  await rm(folder, { recursive: true, force: true });
  const parent = path.dirname(folder);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const timeoutMs = NETWORK_MS;
  // A local clone has all objects of the bare repository, even those of no branch.
  const clone = ["clone", "--quiet", "--local", "--no-checkout", "--", bare, folder];
  await git.run(clone, { cwd: parent, timeoutMs });
  const inClone = gitIn(folder, git);
  const run = (...args: readonly string[]) => inClone(args, { timeoutMs });
  await run("remote", "set-url", "origin", repository);
  const last = await readSnapshot(commit, inClone);
  const { head, branch } = last;
  await run("update-ref", "--no-deref", "HEAD", head);
  if (branch !== null) {
    await run("branch", "--quiet", "--force", "--no-track", branch, head);
    await run("symbolic-ref", "HEAD", `refs/heads/${branch}`);
  }
  await run("read-tree", "-u", "--reset", commit);
  const index = indexOf(folder);
  await copyFile(path.join(folder, ".git", "index"), index);
  // Git may run as another user, and the umask of this process may hide the copy from that user.
  await chmod(index, 0o644);
  await run("reset", "--quiet", "--mixed");
  return { folder, git: inClone, index, last };
}

function gitIn(folder: string, git: Git): Clone["git"] {
  const place = [`--git-dir=${path.join(folder, ".git")}`, `--work-tree=${folder}`];
  return (args, call = {}) => git.run([...place, ...args], { ...call, cwd: folder });
}

function indexOf(folder: string): string {
  return path.join(folder, ".git", "raymond-index");
}

/** Reads a snapshot. Any other commit is its own HEAD. */
async function readSnapshot(commit: string, git: Clone["git"]): Promise<SnapshotCommit> {
  const format = ["--no-show-signature", "--format=%T%n%B"];
  const [tree = "", ...lines] = (await git(["log", "-1", ...format, commit, "--"])).split("\n");
  const field = (name: string) =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? null;
  return { commit, tree, head: field(HEAD) ?? commit, branch: field(BRANCH) };
}

/** The commit message of a snapshot. */
export function snapshotMessage(
  title: string,
  { head, branch }: Pick<SnapshotCommit, "head" | "branch">,
): string {
  const fields = [`${HEAD}: ${head}`, ...(branch === null ? [] : [`${BRANCH}: ${branch}`])];
  return [title, "", ...fields].join("\n");
}

const HEAD = "Raymond-Head";
const BRANCH = "Raymond-Branch";
