import type { GitResult } from "./git.ts";

/** A commit that stores the files of a working tree, and its HEAD. */
export interface SnapshotCommit {
  readonly commit: string;
  readonly tree: string;
  /** The commit that was checked out; null: none yet. */
  readonly head: string | null;
  /** The branch that was checked out; null: none. */
  readonly branch: string | null;
}

type RunGit = (args: readonly string[]) => Promise<GitResult["output"]>;

/** Reads a snapshot. Any other commit is its own HEAD. */
export async function readSnapshot(
  commit: string,
  git: RunGit,
): Promise<SnapshotCommit & { readonly isSnapshot: boolean }> {
  const format = ["--no-show-signature", "--no-patch", "--format=%H%n%T%n%B"];
  const text = await git(["show", ...format, "--end-of-options", commit, "--"]);
  const [full = commit, tree = "", ...lines] = text.split("\n");
  const field = (name: string) =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? null;
  const head = field(HEAD);
  const isSnapshot = head !== null;
  return {
    ...{ commit: full, tree, isSnapshot, branch: field(BRANCH) },
    head: head === UNBORN ? null : (head ?? full),
  };
}

export function snapshotMessage(
  title: string,
  { head, branch }: Pick<SnapshotCommit, "head" | "branch">,
): string {
  const fields = [
    `${HEAD}: ${head ?? UNBORN}`,
    ...(branch === null ? [] : [`${BRANCH}: ${branch}`]),
  ];
  return [title, "", ...fields].join("\n");
}

const HEAD = "Raymond-Head";
const BRANCH = "Raymond-Branch";
const UNBORN = "none";
