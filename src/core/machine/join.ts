import { parseDuration } from "../duration.ts";
import { fullName } from "../protocol/address.ts";
import type { StateName, Way } from "../protocol/transition.ts";
import { READY, waitFor } from "./activity.ts";
import type { Agent, AgentId } from "./agent.ts";
import { enter } from "./apply-transition.ts";
import type { Advanced, Event } from "./event.ts";
import { isEnough, joinPayload, type WorkerEnd } from "./forked.ts";
import { replaceAgent } from "./roster.ts";
import type { RunState } from "./run-state.ts";

type Joining = Extract<Way, { tag: "join" }>;

/** The agent at its new state, where it waits for its workers (docs/protocol.md, "Joins"). */
export function joining(agent: Agent, { min, timeout, timeoutNext }: Joining, at: number): Agent {
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

/** Lets an agent go on whose join needs to wait no longer. */
export function settleJoin(run: RunState, id: AgentId): Advanced {
  const agent = run.agents.find((other) => other.id === id);
  const wanted = agent === undefined ? null : joinOf(agent);
  if (agent === undefined || wanted === null || !isEnough(agent.forked, wanted.min)) {
    return [run, []];
  }
  return goOn(run, agent, agent.state, false);
}

/** Lets go on whose joins have waited for as long as they may. */
export function endLateJoins(run: RunState, now: number): Advanced {
  const told: Event[] = [];
  let next = run;
  for (const agent of run.agents) {
    const { activity } = agent;
    if (activity.type !== "waiting" || activity.until === null || activity.until > now) continue;
    const late = joinOf(agent)?.late ?? null;
    if (late === null) continue;
    const [after, events] = goOn(next, agent, late, true);
    next = after;
    told.push(...events);
  }
  return [next, told];
}

/** Tells a parent how its worker has ended; the parent may have ended before. */
export function reportEnd(run: RunState, worker: AgentId, end: WorkerEnd): Advanced {
  const parentId = worker.slice(0, Math.max(0, worker.lastIndexOf("_")));
  const parent = run.agents.find(({ id }) => id === parentId);
  const index = parent?.forked.findIndex(({ agent }) => agent === worker) ?? -1;
  const known = parent?.forked[index];
  if (parent === undefined || known === undefined) return [run, []];
  const forked = parent.forked.with(index, { ...known, end });
  return settleJoin(replaceAgent(run, { ...parent, forked }), parentId);
}

function joinOf({ activity }: Agent) {
  return activity.type === "waiting" && activity.for.kind === "join" ? activity.for : null;
}

/** Those that live on are left to the next join. */
function goOn(run: RunState, agent: Agent, state: StateName, late: boolean): Advanced {
  const forked = agent.forked.filter(({ end }) => end === null);
  const entered = enter(agent, state, agent.session, joinPayload(agent.forked));
  const next: Agent = {
    ...entered,
    activity: READY,
    forked,
    readySince: run.totals.attempts,
  };
  const told: Event = {
    type: "agent.joined",
    agent: agent.id,
    state: fullName(next),
    ended: agent.forked.length - forked.length,
    living: forked.length,
    late,
  };
  return [replaceAgent(run, next), [told]];
}
