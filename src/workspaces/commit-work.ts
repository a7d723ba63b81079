import { rm } from "node:fs/promises";
import path from "node:path";
import { changedPaths } from "./changed-paths.ts";
import { addAll, excludeFolders, headOf } from "./folder-snapshots.ts";
import type { Git } from "./git.ts";
import { hiddenFiles, writeTree } from "./hidden-files.ts";
import { openPlainGit, type PlainGit } from "./plain-git.ts";
import { inTree, type Repository } from "./repository.ts";

export type CommittedWork =
  | {
      readonly kind: "committed" | "nothing";
      /** Files and repositories in it that are in no commit. */
      readonly skipped: readonly string[];
    }
  /** The files remain uncommitted. */
  | { readonly kind: "left"; readonly reason: string };

interface CommitPlace {
  /** For the git directory of raymond. No other call uses it at the same time. */
  readonly own: string;
  /** Absolute folders that are not committed. */
  readonly without?: readonly string[];
}

/**
 * Commits all files that git does not ignore on the branch that is checked out, with the line ends that the repository
 * wants. No filter runs, because a step can change the configuration that defines it: with files that use a filter,
 * nothing is committed.
 */
export async function commitWork(
  message: string,
  worktree: Repository,
  place: CommitPlace,
  git: Git,
): Promise<CommittedWork> {
  const call = inTree(worktree);
  const { head, branch } = await headOf({ git, repository: worktree });
  if (head === null || branch === null) return { kind: "left", reason: "no branch is checked out" };
  const made = await commitFiles(message, head, worktree, place, git);
  if (made.kind === "left") return made;
  if (made.commit !== head) {
    const update = ["update-ref", "-m", "raymond: commit", `refs/heads/${branch}`];
    await git.run([...update, made.commit, head], call);
  }
  // The lock of a git process that was killed: no step works in the worktree any more.
  await rm(path.join(worktree.gitDir, "index.lock"), { force: true });
  // Keeps the marks of hidden files.
  await git.run(["read-tree", "--reset", "HEAD"], call);
  return { kind: made.commit === head ? "nothing" : "committed", skipped: made.skipped };
}

export type FilesCommit =
  | {
      readonly kind: "commit";
      /** `head` if no file differs from it. */
      readonly commit: string;
      readonly skipped: readonly string[];
    }
  | { readonly kind: "left"; readonly reason: string };

/** Creates a commit on top of `head` with all files that git does not ignore. No branch contains it. */
export async function commitFiles(
  message: string,
  head: string,
  worktree: Repository,
  { own, without = [] }: CommitPlace,
  git: Git,
): Promise<FilesCommit> {
  const index = path.join(own, "commit-index");
  const plain = await openPlainGit(worktree, { folder: own, index, converts: true }, git);
  try {
    await rm(`${index}.lock`, { force: true });
    await excludeFolders(without, plain);
    await git.run(["read-tree", head], plain.call());
    // Otherwise all files count as changed, also those with a filter. It fails if some are.
    await git.try(["update-index", "-q", "--refresh"], plain.call());
    const hidden = await hiddenFiles(plain);
    const { paths, gone, skipped } = await changedPaths(plain, Number.POSITIVE_INFINITY);
    const all = [...paths, ...gone].filter((name) => !hidden.has(name));
    const filter = await filterOf(all, plain);
    if (filter !== null) return { kind: "left", reason: `they use the filter ${filter}` };
    const unreadable = all.length > 0 ? await addAll(all, plain) : [];
    const left = [...skipped.keys(), ...unreadable];
    const tree = await git.run(writeTree(hidden), plain.call());
    const isSame = tree === (await git.run(["rev-parse", `${head}^{tree}`], plain.call()));
    const args = ["commit-tree", tree, "-p", head, "-m", message];
    const commit = isSame ? head : await git.run(args, plain.call());
    return { kind: "commit", commit, skipped: left };
  } finally {
    await rm(index, { force: true });
  }
}

/** The first filter of these files, such as that of git LFS; null: none. */
async function filterOf(paths: readonly string[], { git, call }: PlainGit): Promise<string | null> {
  if (paths.length === 0) return null;
  const input = Buffer.from(paths.map((name) => `${name}\0`).join(""), "latin1");
  const output = await git.run(["check-attr", "-z", "--stdin", "filter"], call({ input }));
  const filters = output.split("\0").filter((_, at) => at % 3 === 2);
  return filters.find((each) => !NO_FILTER.has(each)) ?? null;
}

const NO_FILTER: ReadonlySet<string> = new Set(["", "unspecified", "unset"]);
