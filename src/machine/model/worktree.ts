import type { WorkerEnd } from "./forked.ts";

/** The git worktree of an agent (docs/workspaces.md, "A worktree per agent"). It is saved before git creates it. */
export interface AgentWorktree {
  /** Its top-level folder: absolute. */
  readonly folder: string;
  readonly branch: string;
  /** The commit that the branch starts from. */
  readonly base: string;
  /** The git directory that all working trees of the repository share: absolute. */
  readonly repository: string;
  /** The working tree of the forking agent: absolute. */
  readonly origin: string;
  /**
   * The working tree that paths of settings mean: absolute. The forking agent has a worktree of its own, which is one
   * more copy of it. Absent: `origin`.
   */
  readonly checkout?: string | undefined;
  /** Files to copy from there, relative to it. */
  readonly copy: readonly string[];
}

/** The worktree of an ended agent whose files are not yet committed. Its parent gets `end` afterwards. */
export interface ClosingWorktree extends AgentWorktree {
  /** Its id. */
  readonly agent: string;
  readonly end: WorkerEnd;
}

/** A worktree that remains after the end of its agent, because it has files that are in no commit. */
export interface KeptWorktree extends AgentWorktree {
  /** Its id. */
  readonly agent: string;
  readonly reason: string;
}

/** What is left of the worktree of an ended agent. */
export interface WorktreeEnd {
  /** The branch with its work; null: it changed nothing. */
  readonly branch: string | null;
  /** Why the worktree remains; null: it was removed. */
  readonly kept: string | null;
}
