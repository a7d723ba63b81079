import { fullName } from "../../language/protocol/address.ts";
import {
  type Agent,
  type AgentId,
  conversationOf,
  type Session,
  type SessionId,
} from "../model/agent.ts";
import type { Event, RunUpdate } from "../model/event.ts";
import { ownerOf, withOwner } from "../model/owners.ts";
import type { RecoveredSession } from "../model/recovered-session.ts";
import { findAgent, replaceAgent, updateAgent } from "../model/roster.ts";
import type { RunState } from "../model/run-state.ts";
import { NO_TOKENS, type SpendReport } from "../model/spend.ts";
import { totalCost } from "../model/totals.ts";
import { isLive, stopOverBudget } from "../moves/stop.ts";
import { countAttempt } from "../spend/count-attempt.ts";
import { recoverStep, resumeAgent } from "./recover.ts";

/** A person opens the conversation of an agent between two steps. */
export interface ManualSessionStart {
  readonly agent: AgentId;
  /** Epoch ms; unique per agent. */
  readonly at: number;
  /** The recovered session of a step that was in flight when raymond died. */
  readonly recalled: RecoveredSession | null;
}

export interface ManualSessionEnd {
  readonly agent: AgentId;
  /** The `at` of the start. */
  readonly opened: number;
  /** The conversation after the session; null: nothing was said. */
  readonly said: {
    readonly session: SessionId;
    /** Usage reported by the client. */
    readonly spend: SpendReport;
  } | null;
}

/** The possible conversations of an agent, most likely first: a failed agent may not have started its last one. */
export function openableConversations({ session }: Agent): readonly SessionId[] {
  const ids = [session.id, conversationOf(session)].filter((id) => id !== null);
  return [...new Set(ids)];
}

export function isInManualSession({ opened }: Agent): boolean {
  return opened !== null;
}

/** Blocks the next step of an agent during a manual session. Its step must have ended or died with raymond. */
export function enterManualSession(
  run: RunState,
  { agent: id, at, recalled }: ManualSessionStart,
): RunUpdate {
  const agent = run.agents.find((each) => each.id === id);
  if (agent === undefined || isInManualSession(agent)) return [run, []];
  const between = recoverStep(run, agent, recalled ?? undefined);
  const opened = { ...findAgent(between, id), opened: at };
  return updateAgent(between, opened, { type: "agent.opened", agent: id, state: fullName(opened) });
}

/**
 * Continues an agent, even a failed one, in the conversation of a manual session, and charges the
 * session to its state. Inputs about another session are ignored.
 */
export function leaveManualSession(
  run: RunState,
  { agent: id, opened, said }: ManualSessionEnd,
): RunUpdate {
  const agent = run.agents.find((each) => each.id === id);
  if (agent?.opened !== opened) return [run, []];
  const closed = { ...agent, opened: null };
  const between = replaceAgent(run, closed);
  const [counted, charged] =
    said === null ? [between, NOTHING] : countAttempt(between, closed, said.spend, 0, said.session);
  const event: Event = {
    type: "agent.handed-back",
    agent: id,
    state: fullName(agent),
    session: said?.session ?? null,
    costMicroUsd: charged.costMicroUsd,
    estimatedMicroUsd: charged.estimatedMicroUsd,
    totalMicroUsd: totalCost(counted.totals),
    tokens: said?.spend.tokens ?? NO_TOKENS,
  };
  if (said === null) return [counted, [event]];
  const [own] = openableConversations(agent);
  const owner = own === undefined ? counted.backend : ownerOf(counted, own);
  const owned = withOwner(counted, said.session, owner);
  const next = continueIn(findAgent(owned, id), said.session);
  const continues = isLive(owned) && owned.stopReason === null;
  const resumed = continues && next.activity.type === "failed" ? resumeAgent(next) : next;
  const [checked, stopping] = stopOverBudget(replaceAgent(owned, resumed));
  return [checked, [event, ...stopping]];
}

const NOTHING = { costMicroUsd: 0, estimatedMicroUsd: 0 } as const;

/** The agent in the conversation of the manual session. A pending branch of it stays a branch. */
function continueIn(agent: Agent, id: SessionId): Agent {
  const session: Session = { mode: "resume", id };
  // A failed agent restarts its state with `entered`.
  if (agent.activity.type === "failed") return { ...agent, session, entered: session };
  const { session: own } = agent;
  const held = own.mode === "branch" ? own.source : own.id;
  return held === id ? agent : { ...agent, session, entered: session };
}
