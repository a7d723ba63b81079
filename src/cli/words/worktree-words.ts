import { formatChanges } from "../../console/format/format-changes.ts";
import { shellWord } from "../../console/shell-word.ts";
import type { EndedWorktree } from "../../run/worktree/run-worktree.ts";

/** What a completed run has left behind in its worktree, and how to merge it. */
export function worktreeWords({
  worktree,
  changes,
  work,
  removed,
}: EndedWorktree): readonly string[] {
  const { branch, folder } = worktree;
  if (removed) return ["The run changed no files: its worktree and its branch were removed."];
  const left =
    work.kind === "left" ? [`  Files in ${folder} are not committed: ${work.reason}.`] : [];
  const name = shellWord(branch);
  return [
    `branch ${branch}: ${formatChanges(changes)}`,
    ...left,
    `  show   git diff ...${name}`,
    `  merge  git merge ${name}`,
    `  push   git push -u origin ${name}`,
    `  remove the worktree  git worktree remove --force --force ${shellWord(folder)}`,
  ];
}
