import { fullName } from "../../language/protocol/address.ts";
import { abandonAttempt, releaseCall } from "../model/abandon-attempt.ts";
import { type Activity, isRetrying, READY } from "../model/activity.ts";
import type { Agent, Session, SessionId } from "../model/agent.ts";
import { inFlight, type RunningAgent, replaceAgent } from "../model/roster.ts";
import { type RerunOrigin, type RunState, spent } from "../model/run-state.ts";
import { NO_TOTALS } from "../model/totals.ts";
import { sessionsOf } from "../spend/baselines.ts";
import type { RerunPoint } from "./rerun-point.ts";

/** Values of the new run. */
export interface RerunOptions
  extends Pick<RunState, "id" | "token" | "settings" | "scopeDir" | "worktree"> {
  /** Epoch ms. */
  readonly at: number;
  /** Copies of conversations, by the original. */
  readonly conversations: ReadonlyMap<SessionId, SessionId>;
}

/**
 * A new run that starts from a point of another run, with its agents, stacks, attributes, results
 * and conversations. Steps in flight start again. Costs and steps are counted from zero, and step
 * numbers continue those of the other run. Delays and timeouts keep their remaining time. Waits for
 * usage limits and outages end.
 */
export function rerunOf(
  point: RerunPoint,
  of: RerunOptions,
): RunState & { readonly origin: RerunOrigin } {
  const { id, token, settings, scopeDir, worktree, conversations } = of;
  const base = withoutStepsInFlight(point.run);
  const later = of.at - point.at;
  const at = new Date(of.at).toISOString();
  return {
    ...base,
    ...{ id, token, settings, scopeDir, worktree },
    ...{ startedAt: at, updatedAt: at, status: "running", stopReason: null },
    ...{ waits: {}, kept: undefined },
    origin: {
      ...{ run: point.run.id, step: point.step, after: point.run.processes },
      costMicroUsd: spent(point.run),
    },
    agents: base.agents.map((agent) => copyAgent(agent, conversations, later)),
    totals: NO_TOTALS,
    sums: { states: {}, models: {}, backends: {} },
    baselines: renameKeys(base.baselines, conversations),
    contexts: renameKeys(base.contexts, conversations),
    owners: renameKeys(base.owners, conversations),
    // A person allowed these calls for the other run only.
    grants: null,
    denied: null,
    ...{ steps: 0, seq: 0, saves: 0 },
  };
}

/** The conversations that a rerun from this point needs, each with an agent that may continue it. */
export function conversationsAt({ run }: RerunPoint): ReadonlyMap<SessionId, Agent> {
  const held = withoutStepsInFlight(run).agents.flatMap((agent) =>
    sessionsOf(agent).map((session) => [session, agent] as const),
  );
  return new Map(held);
}

/** The run as if no step were in flight. */
function withoutStepsInFlight(run: RunState): RunState {
  const latestFirst = inFlight(run).toSorted(
    (a, b) => (b.activity.call ?? 0) - (a.activity.call ?? 0),
  );
  return latestFirst.reduce(rollBackStart, run);
}

function rollBackStart(run: RunState, agent: RunningAgent): RunState {
  const { activity, gate, starts } = agent;
  const own = fullName(agent);
  const entered = starts === 1 && gate === null;
  const visits = entered ? { ...run.visits, [own]: (run.visits[own] ?? 1) - 1 } : run.visits;
  const before: Agent = {
    ...abandonAttempt(agent, null),
    activity: READY,
    starts: gate === null ? starts - 1 : starts,
    gate: gate && { ...gate, starts: gate.starts - 1 },
  };
  return releaseCall({ ...replaceAgent(run, before), visits }, own, activity.call);
}

function copyAgent(
  agent: Agent,
  conversations: ReadonlyMap<SessionId, SessionId>,
  later: number,
): Agent {
  const rename = (session: Session) => sessionInCopy(session, conversations);
  return {
    ...agent,
    activity: isRetrying(agent) ? READY : postponed(agent.activity, later),
    ...{ outage: null, elapsedMs: 0, readySince: 0, sums: NO_TOTALS },
    // A manual session was in the original conversation, not in the copy.
    opened: null,
    setResult: null,
    session: rename(agent.session),
    entered: rename(agent.entered),
    stack: agent.stack.map((frame) => ({ ...frame, session: rename(frame.session) })),
  };
}

function postponed(activity: Activity, later: number): Activity {
  if (activity.type !== "waiting" || activity.until === null) return activity;
  const { since, until } = activity;
  return { ...activity, since: since === null ? null : since + later, until: until + later };
}

function sessionInCopy(
  session: Session,
  conversations: ReadonlyMap<SessionId, SessionId>,
): Session {
  const copyOf = (id: SessionId) => conversations.get(id) ?? id;
  switch (session.mode) {
    case "fresh":
      return session.id === null ? session : { ...session, id: copyOf(session.id) };
    case "resume":
      return { ...session, id: copyOf(session.id) };
    case "branch":
      return {
        ...session,
        source: copyOf(session.source),
        id: session.id === null ? null : copyOf(session.id),
      };
  }
}

/** Replaces the ids of conversations by those of their copies. Drops conversations without a copy. */
function renameKeys<T>(
  of: Readonly<Record<SessionId, T>>,
  conversations: ReadonlyMap<SessionId, SessionId>,
): Readonly<Record<SessionId, T>> {
  const known = [...conversations].flatMap(([id, copy]) => {
    const value = of[id];
    return value === undefined ? [] : [[copy, value] as const];
  });
  return Object.fromEntries(known);
}
