import type { WorkflowId } from "../protocol/address.ts";
import type { Fault } from "../protocol/fault.ts";
import type { StateName } from "../protocol/transition.ts";
import type { Activity } from "./activity.ts";
import type { Forked } from "./forked.ts";
import type { Gate, SentBack } from "./gate.ts";
import type { Sums } from "./sums.ts";

export type AgentId = string;
export type SessionId = string;

/**
 * How the next prompt step relates to the conversation so far (docs/protocol.md,
 * "What each tag does"). `id` of a fresh session or a branch is null until a
 * step that uses it is about to start: the id is made and saved before the
 * process.
 */
export type Session =
  | { readonly mode: "fresh"; readonly id: SessionId | null }
  | { readonly mode: "resume"; readonly id: SessionId }
  | { readonly mode: "branch"; readonly source: SessionId; readonly id: SessionId | null };

export const FRESH: Session = { mode: "fresh", id: null };

/** One entry of the return stack: which conversation to wake, and where. */
export interface Frame {
  readonly session: Session;
  readonly returnTo: StateName;
  /** Where that state lies; null: in the workflow that was started. */
  readonly workflow: WorkflowId | null;
  /** Whether its call named a workflow: so many of them fit on a stack. */
  readonly crossed: boolean;
}

/** What the next attempt of a prompt step sends. */
export type Delivery =
  /** The whole prompt of the state. */
  | "prompt"
  /**
   * What was wrong, and the allowed transitions, in the session just used
   * (docs/protocol.md, "When there is no valid transition").
   */
  | "reminder"
  /** What a gate has found, in the session just used (docs/protocol.md, "Gates"). */
  | "gate"
  /** A short note into a conversation that was broken off: by a crash or a stop. */
  | "interrupted"
  /** A short note into a conversation that the budget broke off (docs/budgets.md). */
  | "capped";

/** A logical thread of execution: a program counter, a session and a return stack. */
export interface Agent {
  readonly id: AgentId;
  readonly activity: Activity;
  /** The workflow that it is in, which is what names of states mean; null: the one that was started. */
  readonly workflow: WorkflowId | null;
  readonly state: StateName;
  /** How the next attempt relates to the conversation so far. */
  readonly session: Session;
  /** The same at the moment the state was entered: where a failed agent begins anew. */
  readonly entered: Session;
  readonly stack: readonly Frame[];
  /** Absolute folder; null means the launch folder. */
  readonly cwd: string | null;
  /** Fork attributes (`--var` for main): `{{name}}` in prompts, environment in scripts. */
  readonly attributes: Readonly<Record<string, string>>;
  /** The payload of the `<result>` that woke this state; for exactly this step. */
  readonly pendingResult: string | null;
  /** How many attempts of the run had ended when it became ready: who waits for longer goes first. */
  readonly readySince: number;
  /** How often this step was started: `RAYMOND_ATTEMPT` is one more at the next start. */
  readonly starts: number;
  /** Reminders sent in this state, and what the last was about. */
  readonly reminders: number;
  readonly fault: Fault | null;
  /** What its next step is instead of its state: a script that its output has to pass. */
  readonly gate: Gate | null;
  /** The state that its conversation was too large for, where it was led here instead. */
  readonly wanted: StateName | null;
  /** How often a gate has sent it back in this state, and with what the last time. */
  readonly sentBack: SentBack | null;
  readonly delivery: Delivery;
  /** Retries after crashes used up in this state; survives a crash of raymond. */
  readonly retries: number;
  /**
   * Wall clock of the attempts of this step so far, ms; anew after a crash
   * (docs/authoring.md, "Front matter": `timeout`).
   */
  readonly elapsedMs: number;
  /** When the outage that this agent is in began, epoch ms, and how often it was tried: also while it is tried. */
  readonly outage: { readonly since: number; readonly tries: number } | null;
  /** When a person has opened its conversation, epoch ms: until they leave it, no step of its starts. */
  readonly opened: number | null;
  /** The workers that no join of its has taken, in the order of their forks. */
  readonly forked: readonly Forked[];
  /** Whether a failure of its ends it, and is told to whoever joins it (`on_error="report"`). */
  readonly reports: boolean;
  /** What its attempts have reported so far, over all its states. */
  readonly sums: Sums;
}

/** The conversation that must exist for a call in this session to begin; null: none. */
export function conversationOf(session: Session): SessionId | null {
  switch (session.mode) {
    case "fresh":
      return null;
    case "resume":
      return session.id;
    case "branch":
      return session.source;
  }
}

/** Scripts leave the session alone; a prompt step is from now on in the one that it used. */
export function hold(agent: Agent, used: SessionId | null): Agent {
  return used === null ? agent : { ...agent, session: { mode: "resume", id: used } };
}

/** A session that sees this one's history but adds nothing to it; a pending branch stays one. */
export function branchOf(session: Session): Session {
  switch (session.mode) {
    case "fresh":
      return FRESH;
    case "resume":
      return { mode: "branch", source: session.id, id: null };
    case "branch":
      return { mode: "branch", source: session.source, id: null };
  }
}
