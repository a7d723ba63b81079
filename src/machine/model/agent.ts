import type { WorkflowId } from "../../language/protocol/address.ts";
import type { Fault } from "../../language/protocol/fault.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import type { Activity } from "./activity.ts";
import type { Ruling } from "./denial.ts";
import type { ForkedWorker } from "./forked.ts";
import type { Gate, GateRejection } from "./gate.ts";
import type { Totals } from "./totals.ts";
import type { AgentWorktree } from "./worktree.ts";

export type AgentId = string;
export type SessionId = string;

/**
 * How the next prompt step relates to the conversation so far (docs/protocol.md, "Effects of tags").
 * The `id` of a fresh session or branch is null until its first step starts: it is saved before the
 * process starts.
 */
export type Session =
  | { readonly mode: "fresh"; readonly id: SessionId | null }
  | { readonly mode: "resume"; readonly id: SessionId }
  | { readonly mode: "branch"; readonly source: SessionId; readonly id: SessionId | null };

export const FRESH: Session = { mode: "fresh", id: null };

/** An entry of the return stack. */
export interface Frame {
  readonly session: Session;
  readonly returnTo: StateName;
  /** The workflow of that state; null: the started workflow. */
  readonly workflow: WorkflowId | null;
  /** Whether the call named a workflow. The number of these is limited. */
  readonly crossed: boolean;
  /** The schema file of that workflow that the returned result must match. */
  readonly schema?: string;
}

/** The message of the next attempt of a prompt step, in addition to the whole prompt. */
export const NOTES = [
  /** A fault and the allowed transitions (docs/protocol.md, "Invalid output"). */
  "reminder",
  /** The output of a failed gate (docs/protocol.md, "Gates"). */
  "gate",
  /** An interruption by a crash or stop. */
  "interrupted",
  /** The budget cut off the conversation (docs/budgets.md). */
  "capped",
  /** A person allowed denied tool calls (docs/permissions.md, "Denied tool calls"). */
  "allowed",
  /** Tool calls were denied, by a person or because the step had failed. */
  "denied",
] as const;

export const DELIVERIES = ["prompt", ...NOTES] as const;
export type Delivery = (typeof DELIVERIES)[number];

/** An outage that a step waits for. */
export interface Outage {
  /** Its start, epoch ms. */
  readonly since: number;
  /** Retries so far. */
  readonly tries: number;
  readonly backend: string;
  /** Start of the outage of `backend`: later than `since` if another coding agent failed before it. */
  readonly from: number;
}

/** A thread of execution: a state, a session and a return stack. */
export interface Agent {
  readonly id: AgentId;
  readonly activity: Activity;
  /** The workflow of its state; null: the started workflow. */
  readonly workflow: WorkflowId | null;
  readonly state: StateName;
  readonly session: Session;
  /** The session when the state was entered: a failed agent restarts with it. */
  readonly entered: Session;
  readonly stack: readonly Frame[];
  /** Absolute; null: the launch folder. */
  readonly cwd: string | null;
  /** Absent: it works in the folders of others. */
  readonly worktree?: AgentWorktree | undefined;
  /** Fork attributes (`--var` for main): `{{name}}` in prompts, environment in scripts. */
  readonly attributes: Readonly<Record<string, string>>;
  /** The payload for this step only. */
  readonly pendingResult: string | null;
  /** Attempts of the run that had ended when the agent became ready: orders waiting agents. */
  readonly readySince: number;
  /** Starts of this step: the next `RAYMOND_ATTEMPT` is one more. */
  readonly starts: number;
  /** Reminders sent in this state. `fault`: that of the last one. */
  readonly reminders: number;
  readonly fault: Fault | null;
  /** A gate to run as the next step. */
  readonly gate: Gate | null;
  /** The state that `on_context` replaced with the current one. */
  readonly wanted: StateName | null;
  /** Gate failures in this state. */
  readonly sentBack: GateRejection | null;
  readonly delivery: Delivery;
  /** Denied tool calls in this state that a person decided about; absent: none. */
  readonly ruling?: Ruling | undefined;
  /** Retries after crashes in this state. */
  readonly retries: number;
  /** Wall-clock time of the attempts of this step, ms; reset after a crash of raymond (`timeout`). */
  readonly elapsedMs: number;
  readonly outage: Outage | null;
  /** Start of a manual session, epoch ms: no step starts until it ends. */
  readonly opened: number | null;
  /** A result that a person has set and that is not applied yet (`raymond set`). */
  readonly setResult: string | null;
  /** Workers not joined yet, in the order of their forks. */
  readonly forked: readonly ForkedWorker[];
  /** Whether its failure ends it and is reported to the join (`on_error="report"`). */
  readonly reports: boolean;
  /** Totals of all its attempts. */
  readonly sums: Totals;
}

/** The conversation that must exist before a call in this session; null: none. */
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

/** Continues the session that a prompt step used; scripts (null) do not change it. */
export function withSession(agent: Agent, used: SessionId | null): Agent {
  return used === null ? agent : { ...agent, session: { mode: "resume", id: used } };
}

/** A branch of a session: it has its history and does not change it. */
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
