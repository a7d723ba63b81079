import { isDeviceName } from "../basics/windows-name.ts";
import { excerpt } from "./scan/excerpt.ts";

/*
 * The attribute `worktree` of a tag that starts an agent (docs/workspaces.md, "A worktree per agent"). A model writes
 * it: a name is one part of a branch and never a path or an option of git.
 */

export function wantsWorktree(value: string): boolean {
  return value !== "false";
}

/** The name of the branch below `raymond/`; null: a name from the ids of the run and the agent. */
export function branchNameIn(value: string): string | null {
  return value === "true" ? null : value;
}

/** Why this is not a value of the attribute, as the end of a sentence; null if it is. */
export function worktreeProblem(value: string): string | null {
  if (NAME.test(value) && !isDeviceName(value)) return null;
  return `must be true, false, or a name of up to 60 letters, digits, - and _, not "${excerpt(value)}"`;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,59}$/;
