import { lstat, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseBoundedJson } from "../language/basics/json-object.ts";
import { workspaceErrors } from "./errors.ts";
import { commitOf } from "./folder-snapshots.ts";
import type { Git, GitCall } from "./git.ts";
import { inTree, type Repository } from "./repository.ts";

/** The end of a merge, or the conflict that stopped it. The conflict is in the working tree. */
export interface MergeResult {
  /** Branches that this call has merged, also those that were merged before. */
  readonly merged: readonly string[];
  readonly conflict: MergeConflict | null;
}

export interface MergeConflict {
  readonly branch: string;
  /** Relative to the top of the working tree. */
  readonly files: readonly string[];
}

/** A merge that stopped at a conflict, in the git directory of the working tree. */
interface StoppedMerge {
  /** The branch with the conflict, then those after it. */
  readonly branches: readonly string[];
  /** Files without conflict markers, such as binary ones: a person or step stages them to resolve them. */
  readonly unmarked: readonly string[];
}

/** Merges branches into the branch that is checked out, one after the other. Rejects with a RaymondError. */
export async function mergeBranches(
  branches: readonly string[],
  repository: Repository,
  git: Git,
): Promise<MergeResult> {
  if (await isMerging(repository, git)) throw workspaceErrors["workspace/merging"](repository.top);
  for (const branch of branches) {
    if ((await commitOf(`refs/heads/${branch}`, repository.commonDir, git)) === null)
      throw workspaceErrors["workspace/unknown-branch"](branch, repository.top);
  }
  return mergeAll(branches, [], repository, git);
}

/** Continues a merge after its conflict was resolved in the files. */
export async function continueMerge(repository: Repository, git: Git): Promise<MergeResult> {
  const stopped = await readStopped(repository);
  if (stopped === null) throw workspaceErrors["workspace/not-merging"](repository.top);
  const { branches, unmarked } = stopped;
  const [branch = "", ...rest] = branches;
  // Without it, the merge was committed or aborted by another command.
  if (!(await isMerging(repository, git))) return mergeAll(branches, [], repository, git);
  const call = inTree(repository);
  const files = await conflicts(call, git);
  const open: string[] = [];
  for (const file of files) {
    if (unmarked.includes(file) || (await hasMarkers(repository.top, file))) open.push(file);
  }
  if (open.length > 0) return { merged: [], conflict: { branch, files: open } };
  const literal = { ...call, env: { GIT_LITERAL_PATHSPECS: "1" } };
  if (files.length > 0) await git.run(["add", "--all", "--", ...files], literal);
  await git.run(["commit", "--quiet", "--no-edit", "--no-verify"], call);
  return mergeAll(rest, [branch], repository, git);
}

async function mergeAll(
  branches: readonly string[],
  before: readonly string[],
  repository: Repository,
  git: Git,
): Promise<MergeResult> {
  const call = inTree(repository);
  const merged = [...before];
  for (const [at, branch] of branches.entries()) {
    const message = `Merge branch '${branch}'`;
    const args = ["merge", "--quiet", "--no-edit", "--no-verify", "--no-verify-signatures"];
    const result = await git.try([...STYLE, ...args, "-m", message, `refs/heads/${branch}`], call);
    if (!result.ok) {
      const files = await conflicts(call, git);
      if (files.length === 0)
        throw workspaceErrors["workspace/merge-refused"](branch, repository.top, result.output);
      const marked = await Promise.all(files.map((file) => hasMarkers(repository.top, file)));
      const unmarked = files.filter((_, index) => marked[index] === false);
      await writeStopped({ branches: branches.slice(at), unmarked }, repository);
      return { merged, conflict: { branch, files } };
    }
    merged.push(branch);
  }
  await rm(stoppedFile(repository), { force: true });
  return { merged, conflict: null };
}

const STYLE = ["-c", "merge.conflictStyle=merge"];

async function isMerging(repository: Repository, git: Git): Promise<boolean> {
  const args = ["rev-parse", "--verify", "--quiet", "MERGE_HEAD"];
  return (await git.try(args, inTree(repository))).ok;
}

/** Files with a conflict in the index. */
async function conflicts(call: GitCall, git: Git): Promise<readonly string[]> {
  const listed = await git.run(["ls-files", "-z", "--unmerged", "--full-name"], call);
  const names = listed.split("\0").flatMap((line) => line.split("\t")[1] ?? []);
  return [...new Set(names)];
}

async function hasMarkers(top: string, file: string): Promise<boolean> {
  const place = path.join(top, file);
  const found = await lstat(place).catch(() => null);
  if (found?.isFile() !== true) return false;
  const text = await readFile(place, "latin1");
  return /^<{7} /m.test(text) && /^>{7} /m.test(text);
}

function stoppedFile({ gitDir }: Repository): string {
  return path.join(gitDir, "raymond-merge");
}

async function writeStopped(stopped: StoppedMerge, repository: Repository): Promise<void> {
  await writeFile(stoppedFile(repository), JSON.stringify(stopped));
}

/** Null: none. */
async function readStopped(repository: Repository): Promise<StoppedMerge | null> {
  const text = await readFile(stoppedFile(repository), "utf8").catch(() => null);
  if (text === null) return null;
  const { branches, unmarked } = parseBoundedJson(text) as StoppedMerge;
  return { branches, unmarked };
}
