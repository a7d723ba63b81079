import { formatChanges } from "../../console/format/format-changes.ts";
import { shellWord } from "../../console/shell-word.ts";
import type { LeftWorktree } from "../../inspect/files/left-worktrees.ts";
import { counted } from "../../language/basics/counted.ts";
import type { EndedWorktree } from "../../run/worktree/run-worktree.ts";
import type { WorktreeWork } from "../../workspaces/worktree-work.ts";

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

/** The work in a worktree. Null: its git directory is gone. */
export function workWords(work: WorktreeWork | null): string {
  if (work === null) return "its git directory is gone, so raymond does not delete its files";
  const { isUnsaved, unmerged } = work;
  const parts = [
    ...(isUnsaved ? ["uncommitted files"] : []),
    ...(unmerged > 0 ? [`${counted(unmerged, "commit")} that no other branch has`] : []),
  ];
  return parts.length === 0 ? "no unmerged or uncommitted work" : parts.join(", ");
}

/** One line for a worktree that is deleted with its run. */
export function leftWorktreeWords({ agent, branch, folder, work }: LeftWorktree): string {
  const of = agent === null ? "" : ` of ${agent}`;
  const saved = work?.isUnsaved === true ? " (saved first, below refs/raymond-saved)" : "";
  return `  worktree${of} on branch ${branch}: ${workWords(work)}${saved}, ${folder}`;
}
