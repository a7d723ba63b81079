import { parseDuration } from "../../language/basics/duration.ts";
import { fullName } from "../../language/protocol/address.ts";
import type { Continuation, StateName } from "../../language/protocol/transition.ts";
import { waitFor } from "../model/activity.ts";
import type { Agent, AgentId } from "../model/agent.ts";
import type { Event, RunUpdate } from "../model/event.ts";
import { isJoinReady, joinPayload, type WorkerEnd } from "../model/forked.ts";
import { replaceAgent, updateAgent } from "../model/roster.ts";
import type { RunState } from "../model/run-state.ts";
import { enter } from "./apply-transition.ts";

type Joining = Extract<Continuation, { tag: "join" }>;

/** The agent in its new state, waiting for its workers (docs/protocol.md, "Joins"). */
export function startJoin(agent: Agent, { min, timeout, timeoutNext }: Joining, at: number): Agent {
  const ms = timeout === undefined ? null : parseDuration(timeout);
  return {
    ...agent,
    activity: waitFor(ms, at, {
      kind: "join",
      min: min === undefined ? null : Number(min),
      late: timeoutNext ?? null,
    }),
  };
}

/** Ends the join of an agent if it is ready. */
export function settleJoin(run: RunState, id: AgentId): RunUpdate {
  const agent = run.agents.find((other) => other.id === id);
  const join = agent === undefined ? null : joinOf(agent);
  if (agent === undefined || join === null) return [run, []];
  if (!isJoinReady(agent.forked, join.min)) return [run, []];
  return endJoin(run, agent, agent.state, false);
}

/** Ends joins that have timed out. */
export function timeOutJoins(run: RunState, now: number): RunUpdate {
  const ended: Event[] = [];
  let next = run;
  for (const agent of run.agents) {
    const { activity } = agent;
    if (activity.type !== "waiting" || activity.until === null || activity.until > now) continue;
    const late = joinOf(agent)?.late ?? null;
    if (late === null) continue;
    const [after, events] = endJoin(next, agent, late, true);
    next = after;
    ended.push(...events);
  }
  return [next, ended];
}

/** Reports the end of a worker to its parent, which may have ended before. `branch`: of its worktree. */
export function reportEnd(
  run: RunState,
  worker: AgentId,
  end: WorkerEnd,
  branch?: string | null,
): RunUpdate {
  const parentId = worker.slice(0, Math.max(0, worker.lastIndexOf("_")));
  const parent = run.agents.find(({ id }) => id === parentId);
  const index = parent?.forked.findIndex(({ agent }) => agent === worker) ?? -1;
  const known = parent?.forked[index];
  if (parent === undefined || known === undefined) return [run, []];
  const ended = { ...known, end, ...(branch !== undefined && { branch }) };
  const forked = parent.forked.with(index, ended);
  return settleJoin(replaceAgent(run, { ...parent, forked }), parentId);
}

function joinOf({ activity }: Agent) {
  return activity.type === "waiting" && activity.for.kind === "join" ? activity.for : null;
}

/** Running workers remain for the next join. */
function endJoin(run: RunState, agent: Agent, state: StateName, late: boolean): RunUpdate {
  const forked = agent.forked.filter(({ end }) => end === null);
  const entered = enter(agent, state, agent.session, joinPayload(agent.forked));
  const next: Agent = { ...entered, forked, readySince: run.totals.attempts };
  const ended = agent.forked.length - forked.length;
  const event = { agent: agent.id, state: fullName(next), ended, living: forked.length, late };
  return updateAgent(run, next, { type: "agent.joined", ...event });
}
