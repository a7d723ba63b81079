import type { WorktreePlace } from "../../language/protocol/transition.ts";
import type { RunId } from "../../machine/model/run-state.ts";
import type { AgentWorktree, ClosingWorktree, WorktreeEnd } from "../../machine/model/worktree.ts";

/** Worktrees of agents (docs/workspaces.md, "A worktree per agent"). */
export interface Worktrees {
  /**
   * Keeps the files of a folder, uncommitted ones included, in a commit that new agents start from. `folders`: where
   * they work. Rejects with a RaymondError if they cannot have worktrees.
   */
  place(run: RunId, cwd: string, folders: readonly string[]): Promise<FoundPlaces>;
  /**
   * Creates the worktree of an agent, completes it after a crash, or builds a deleted one again. Rejects with a
   * RaymondError. `cwd`: the folder of the agent in it.
   */
  ensure(run: RunId, worktree: AgentWorktree, cwd: string): Promise<void>;
  /** Commits the files of an ended agent on its branch. Never rejects. */
  end(run: RunId, worktree: ClosingWorktree): Promise<WorktreeEnd>;
}

export interface FoundPlaces {
  readonly place: WorktreePlace;
  /** By folder, its place in the new worktree. Others are outside of the working tree. */
  readonly inside: ReadonlyMap<string, string>;
  /** Branches below `raymond/`. */
  readonly branches: ReadonlySet<string>;
}
