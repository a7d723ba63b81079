import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { RunState } from "../../machine/model/run-state.ts";
import type { Caller } from "../../wire/caller.ts";
import { isFolder } from "../../wire/system/system.ts";
import { userStateFolder } from "../../wire/trust/user-state-folder.ts";
import { isOwnFolder } from "../../workspaces/worktree.ts";
import { type WorktreeWork, worktreeWork } from "../../workspaces/worktree-work.ts";
import { callerGit } from "./run-files.ts";

export interface LeftWorktree {
  /** Null: that of the run. */
  readonly agent: string | null;
  readonly branch: string;
  readonly folder: string;
  /** Why it remains after the end of its agent; null: its agent has not ended. */
  readonly reason: string | null;
  /** Null: its git directory is gone or unreadable. */
  readonly work: WorktreeWork | null;
}

/** The existing worktrees of a run that no process drives, and the work in them. */
export async function leftWorktrees(
  { worktree, agents, closing = [], kept = [] }: RunState,
  caller: Caller,
): Promise<readonly LeftWorktree[]> {
  const stateFolder = userStateFolder(caller.env);
  const all = [
    ...(worktree === undefined ? [] : [{ ...worktree, agent: null, reason: null }]),
    ...agents.flatMap(({ id, worktree: own }) =>
      own === undefined ? [] : [{ ...own, agent: id, reason: null }],
    ),
    ...closing.map((each) => ({ ...each, reason: null })),
    ...kept,
  ].filter(({ folder }) => isOwnFolder(folder, stateFolder) && isFolder(folder));
  if (all.length === 0) return [];
  const git = await callerGit(caller);
  const own = await mkdtemp(path.join(tmpdir(), "raymond-git-"));
  try {
    const found: LeftWorktree[] = [];
    for (const { agent, branch, folder, reason } of all) {
      const work = await worktreeWork({ folder, branch }, { own }, git).catch(() => null);
      found.push({ agent, branch, folder, reason, work });
    }
    return found;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}
