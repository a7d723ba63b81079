import { fullName } from "../../language/protocol/address.ts";
import { type Activity, isRetrying, READY } from "../activity.ts";
import type { Agent, Session, SessionId } from "../agent.ts";
import { inFlight, type RunningAgent, replaceAgent } from "../move/roster.ts";
import {
  type RerunOrigin,
  type RunId,
  type RunSettings,
  type RunState,
  spent,
} from "../run-state.ts";
import { sessionsOf } from "../spend/baselines.ts";
import { NO_TOTALS } from "../spend/totals.ts";
import { abandonAttempt, releaseCall } from "../step/abandon-attempt.ts";
import type { RerunPoint } from "./rerun-point.ts";

/** What a run that begins where another one stood has of its own. */
export interface RerunOptions {
  readonly id: RunId;
  readonly token: string;
  /** Epoch ms. */
  readonly at: number;
  readonly settings: RunSettings;
  readonly scopeDir: string;
  /** Its conversations, each by the one of the other run that it is a copy of. */
  readonly conversations: ReadonlyMap<SessionId, SessionId>;
}

/**
 * A new run that begins where another one stood: agents, stacks, attributes,
 * results and conversations are as they were then, and who was in flight begins
 * the step again. What it has spent, and its steps, are counted from zero; steps
 * go on from the numbers of the other. Delays, and the time that a question or a
 * join may take, have as much left as they had; what was met of the world, a usage
 * limit or an outage, is not waited for again.
 */
export function rerunOf(
  point: RerunPoint,
  of: RerunOptions,
): RunState & { readonly origin: RerunOrigin } {
  const { id, token, settings, scopeDir, conversations } = of;
  const stood = unbegun(point.run);
  const later = of.at - point.at;
  const at = new Date(of.at).toISOString();
  return {
    ...stood,
    ...{ id, token, settings, scopeDir },
    ...{ startedAt: at, updatedAt: at, status: "running", stopReason: null, wait: null },
    origin: {
      ...{ run: point.run.id, step: point.step, after: point.run.processes },
      costMicroUsd: spent(point.run),
    },
    agents: stood.agents.map((agent) => carried(agent, conversations, later)),
    totals: NO_TOTALS,
    sums: { states: {}, models: {} },
    baselines: renamed(stood.baselines, conversations),
    contexts: renamed(stood.contexts, conversations),
    ...{ steps: 0, seq: 0, saves: 0 },
  };
}

/** The conversations that a run needs which begins there, each with an agent that comes back to it. */
export function conversationsAt({ run }: RerunPoint): ReadonlyMap<SessionId, Agent> {
  const held = unbegun(run).agents.flatMap((agent) =>
    sessionsOf(agent).map((session) => [session, agent] as const),
  );
  return new Map(held);
}

/** The run as if no step were in flight. */
function unbegun(run: RunState): RunState {
  const latestFirst = inFlight(run).toSorted(
    (a, b) => (b.activity.call ?? 0) - (a.activity.call ?? 0),
  );
  return latestFirst.reduce(takeBack, run);
}

function takeBack(run: RunState, agent: RunningAgent): RunState {
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

function carried(
  agent: Agent,
  conversations: ReadonlyMap<SessionId, SessionId>,
  later: number,
): Agent {
  const rename = (session: Session) => inCopy(session, conversations);
  return {
    ...agent,
    activity: isRetrying(agent) ? READY : moved(agent.activity, later),
    ...{ outage: null, elapsedMs: 0, readySince: 0, sums: NO_TOTALS },
    // Who had opened a conversation then is not in its copy.
    opened: null,
    session: rename(agent.session),
    entered: rename(agent.entered),
    stack: agent.stack.map((frame) => ({ ...frame, session: rename(frame.session) })),
  };
}

function moved(activity: Activity, later: number): Activity {
  if (activity.type !== "waiting" || activity.until === null) return activity;
  const { since, until } = activity;
  return { ...activity, since: since === null ? null : since + later, until: until + later };
}

function inCopy(session: Session, conversations: ReadonlyMap<SessionId, SessionId>): Session {
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

/** What is known of conversations, by their copies; nothing of those that have none. */
function renamed<T>(
  of: Readonly<Record<SessionId, T>>,
  conversations: ReadonlyMap<SessionId, SessionId>,
): Readonly<Record<SessionId, T>> {
  const known = [...conversations].flatMap(([id, copy]) => {
    const value = of[id];
    return value === undefined ? [] : [[copy, value] as const];
  });
  return Object.fromEntries(known);
}
