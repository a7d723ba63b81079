import type { ErrorAt, Tree } from "../yaml-tree.ts";

/** `worktree` of a workflow.yaml (docs/workspaces.md, "A worktree per agent"). */
export interface DeclaredWorktree {
  /** Whether each agent that a state of the workflow forks gets a worktree. */
  readonly fork: boolean;
}

export const NO_WORKTREE: DeclaredWorktree = { fork: false };

export function parseWorktree(tree: Tree, errorAt: ErrorAt, key: string): DeclaredWorktree {
  if (tree.kind === "scalar" && !tree.isText && (tree.text === "true" || tree.text === "false"))
    return { fork: tree.text === "true" };
  throw errorAt(tree.at, `${key} must be true or false.`, `Write ${key}: true`);
}
