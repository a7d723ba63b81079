import type { Agent, AgentId } from "../model/agent.ts";
import type { RunUpdate } from "../model/event.ts";
import type { WorkerEnd } from "../model/forked.ts";
import type { RunState } from "../model/run-state.ts";
import type { WorktreeEnd } from "../model/worktree.ts";
import { reportEnd } from "./join.ts";

/** Reports the end of an agent to its parent, after the files of its worktree are committed. */
export function endAgent(run: RunState, { id, worktree }: Agent, end: WorkerEnd): RunUpdate {
  if (worktree === undefined) return reportEnd(run, id, end);
  const closing = [...(run.closing ?? []), { ...worktree, agent: id, end }];
  return [{ ...run, closing }, []];
}

/** The files of an ended agent are committed. */
export function closeWorktree(
  run: RunState,
  { agent, branch, kept }: WorktreeEnd & { readonly agent: AgentId },
): RunUpdate {
  const closed = run.closing?.find((each) => each.agent === agent);
  if (closed === undefined) return [run, []];
  const rest = run.closing?.filter((each) => each !== closed) ?? [];
  const { end, ...worktree } = closed;
  const remaining = kept === null ? run.kept : [...(run.kept ?? []), { ...worktree, reason: kept }];
  const next = { ...run, closing: rest.length === 0 ? undefined : rest, kept: remaining };
  return reportEnd(next, agent, end, branch);
}
