import type { PlainGit } from "./plain-git.ts";
import { inTree } from "./repository.ts";

/**
 * Tracked files whose content in the working tree does not count: those outside of a sparse checkout, and those that the
 * user has marked with `git update-index --skip-worktree` or `--assume-unchanged`. Bytes, one character each.
 */
export async function hiddenFiles({
  git,
  repository,
}: Pick<PlainGit, "git" | "repository">): Promise<ReadonlySet<string>> {
  const args = ["ls-files", "-v", "-z"];
  const listed = await git.run(args, { ...inTree(repository), bytes: true });
  const lines = listed.split("\0").filter((line) => /^[Sa-z] /.test(line));
  return new Set(lines.map((line) => line.slice(2)));
}

/** Gives hidden files the content of a commit in the index of snapshots. Files that it lacks are removed. */
export async function keepHidden(
  hidden: ReadonlySet<string>,
  head: string | null,
  { git, call }: PlainGit,
): Promise<void> {
  const args = ["ls-tree", "-r", "-z", "--full-tree", head ?? ""];
  const listed = head === null ? "" : await git.run(args, call({ bytes: true }));
  const entries = new Map(
    listed.split("\0").flatMap((line) => {
      const name = line.slice(line.indexOf("\t") + 1);
      return hidden.has(name) ? [[name, line] as const] : [];
    }),
  );
  const nothing = "0".repeat(head?.length ?? 40);
  const lines = [...hidden].map((name) => entries.get(name) ?? `0 ${nothing}\t${name}`);
  const input = Buffer.from(lines.map((line) => `${line}\0`).join(""), "latin1");
  await git.run(["update-index", "-z", "--index-info"], call({ input }));
}

/** A partial clone may lack the objects of hidden files. */
export function writeTree(hidden: ReadonlySet<string>): readonly string[] {
  return ["write-tree", ...(hidden.size > 0 ? ["--missing-ok"] : [])];
}
