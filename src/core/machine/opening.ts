import { fullName } from "../protocol/address.ts";
import { type Agent, type AgentId, conversationOf, type Session, type SessionId } from "./agent.ts";
import { countAttempt } from "./count-attempt.ts";
import type { Advanced, Event } from "./event.ts";
import type { Recollection } from "./recollection.ts";
import { breakOff, revive } from "./recover.ts";
import { findAgent, replaceAgent } from "./roster.ts";
import type { RunState } from "./run-state.ts";
import { NO_TOKENS, type SpendReport } from "./spend.ts";
import { isLive, stopOverBudget } from "./stop.ts";
import { paid } from "./sums.ts";

/** A person opens the conversation of an agent, between two steps of its. */
export interface Opening {
  readonly agent: AgentId;
  /** Epoch ms: no two openings of an agent have the same. */
  readonly at: number;
  /** What its conversation tells of a step that was in flight when raymond died. */
  readonly recalled: Recollection | null;
}

/** A person has left the conversation of an agent. */
export interface HandBack {
  readonly agent: AgentId;
  /** The `at` of its opening. */
  readonly opened: number;
  /** What has become of the conversation; null where nothing was said. */
  readonly said: {
    readonly session: SessionId;
    /** What that has used, as far as the client tells. */
    readonly spend: SpendReport;
  } | null;
}

/** The conversations that may be an agent's own, the likeliest first: one that has failed may never have begun its last one. */
export function conversationsToOpen({ session }: Agent): readonly SessionId[] {
  const known = [session.id, conversationOf(session)].filter((id) => id !== null);
  return [...new Set(known)];
}

/** Whether a person has the conversation of an agent open. */
export function isOpened({ opened }: Agent): boolean {
  return opened !== null;
}

/**
 * Keeps an agent from its next step while a person talks in its conversation. One that is in flight
 * must be so no more: its step has ended, or it was in flight when raymond died.
 */
export function openConversation(run: RunState, { agent: id, at, recalled }: Opening): Advanced {
  const agent = run.agents.find((each) => each.id === id);
  if (agent === undefined || isOpened(agent)) return [run, []];
  const between = breakOff(run, agent, recalled ?? undefined);
  const opened = { ...findAgent(between, id), opened: at };
  const told = { type: "agent.opened", agent: id, state: fullName(opened) } as const;
  return [replaceAgent(between, opened), [told]];
}

/**
 * Lets an agent go on from what a person has said in its conversation, and counts what that has cost:
 * for the state at which the agent stands. A failed agent goes on as well, in that conversation. What
 * is told twice, or of an opening that is over, changes nothing.
 */
export function handBack(run: RunState, { agent: id, opened, said }: HandBack): Advanced {
  const agent = run.agents.find((each) => each.id === id);
  if (agent?.opened !== opened) return [run, []];
  const closed = { ...agent, opened: null };
  const between = replaceAgent(run, closed);
  const [counted, charged] =
    said === null ? [between, NOTHING] : countAttempt(between, closed, said.spend, 0, said.session);
  const told: Event = {
    type: "agent.handed-back",
    agent: id,
    state: fullName(agent),
    session: said?.session ?? null,
    costMicroUsd: charged.costMicroUsd,
    estimatedMicroUsd: charged.estimatedMicroUsd,
    totalMicroUsd: paid(counted.totals),
    tokens: said?.spend.tokens ?? NO_TOKENS,
  };
  if (said === null) return [counted, [told]];
  const next = goOnIn(findAgent(counted, id), said.session);
  const goesOn = isLive(counted) && counted.stopReason === null;
  const going = goesOn && next.activity.type === "failed" ? revive(next) : next;
  const [checked, stopping] = stopOverBudget(replaceAgent(counted, going));
  return [checked, [told, ...stopping]];
}

const NOTHING = { costMicroUsd: 0, estimatedMicroUsd: 0 } as const;

/** The agent in the conversation in which a person has talked. One that was to branch from it still does. */
function goOnIn(agent: Agent, id: SessionId): Agent {
  const session: Session = { mode: "resume", id };
  // A failed agent begins its state anew, and would else do so in the conversation before.
  if (agent.activity.type === "failed") return { ...agent, session, entered: session };
  const { session: own } = agent;
  const held = own.mode === "branch" ? own.source : own.id;
  return held === id ? agent : { ...agent, session, entered: session };
}
