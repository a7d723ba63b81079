import { rm } from "node:fs/promises";
import path from "node:path";
import { changedPaths } from "./changed-paths.ts";
import { addAll } from "./folder-snapshots.ts";
import type { Git } from "./git.ts";
import { openPlainGit, type PlainGit } from "./plain-git.ts";
import type { Repository } from "./repository.ts";

/** The end of the work in a worktree. */
export type CommittedWork =
  | { readonly kind: "committed" | "nothing" }
  /** The files remain uncommitted. */
  | { readonly kind: "left"; readonly reason: string };

/**
 * Commits all files that git does not ignore on the branch that is checked out, with the line ends that the repository
 * wants. No filter runs, because a step can change the configuration that defines it: with files that use a filter,
 * nothing is committed.
 */
export async function commitWork(
  message: string,
  worktree: Repository,
  { own }: { readonly own: string },
  git: Git,
): Promise<CommittedWork> {
  const { top } = worktree;
  const head = await git.try(["rev-parse", "--verify", "--quiet", "HEAD"], { cwd: top });
  const branch = await git.try(["symbolic-ref", "--quiet", "HEAD"], { cwd: top });
  if (!head.ok || !branch.ok) return { kind: "left", reason: "no branch is checked out" };
  const index = path.join(own, "commit-index");
  const plain = await openPlainGit(worktree, { folder: own, index, converts: true }, git);
  try {
    await rm(`${index}.lock`, { force: true });
    await git.run(["read-tree", head.output], plain.call());
    const { paths, gone } = await changedPaths(plain, Number.POSITIVE_INFINITY);
    const all = [...paths, ...gone];
    const filter = await filterOf(all, plain);
    if (filter !== null) return { kind: "left", reason: `they use the filter ${filter}` };
    if (all.length > 0) await addAll(all, plain);
    const tree = await git.run(["write-tree"], plain.call());
    if (tree === (await git.run(["rev-parse", `${head.output}^{tree}`], plain.call())))
      return { kind: "nothing" };
    const commit = await git.run(
      ["commit-tree", tree, "-p", head.output, "-m", message],
      plain.call(),
    );
    const update = ["update-ref", "-m", "raymond: commit", branch.output, commit, head.output];
    await git.run(update, { cwd: top });
    await git.run(["read-tree", "HEAD"], { cwd: top });
    return { kind: "committed" };
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
