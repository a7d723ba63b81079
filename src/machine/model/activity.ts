import type { StateName } from "../../language/protocol/transition.ts";
import type { Denial } from "./denial.ts";
import type { Failure } from "./failure.ts";
import type { SpendReport } from "./spend.ts";

export type Activity = Ready | Running | Waiting | Failed;

/** Its next step can start. */
export interface Ready {
  readonly type: "ready";
}

/** A started step, recorded before its process starts (docs/durability.md, "How it works"). */
export interface Running {
  readonly type: "running";
  /** Run-wide number of the process, used in the names of debug files and in its token. */
  readonly process: number;
  readonly kind: "prompt" | "script";
  /** ISO 8601. */
  readonly startedAt: string;
  /** The client accepted the prompt: its first event after `init` was received. */
  readonly accepted: boolean;
  /** Size of the conversation before the call, bytes: the rest belongs to the call. Null: unknown. */
  readonly conversationBytes: number | null;
  /** Reported usage so far: charged if the process dies with raymond. */
  readonly spend: SpendReport | null;
  /** Number of this call among those of its state, from 0; null for scripts. */
  readonly call: number | null;
  /** The coding agent; null for scripts. */
  readonly backend: string | null;
}

export interface Waiting {
  readonly type: "waiting";
  /** Start of a wait of fixed duration, epoch ms, to detect clock changes; null for other waits. */
  readonly since: number | null;
  /** Epoch ms; null: only an event ends the wait. */
  readonly until: number | null;
  readonly for: WaitCause;
}

export type WaitCause =
  /** Backoff before the next attempt; `tries`: retries so far. */
  | { readonly kind: "retry"; readonly class: "crash" | "outage"; readonly tries: number }
  /** The usage limit that this agent hit: it can end later than that of the run. */
  | { readonly kind: "limit"; readonly message: string }
  /** The `delay` of the tag that entered the state. */
  | { readonly kind: "delay" }
  /** Its workers: `min` successful ones, or all (null). */
  | {
      readonly kind: "join";
      readonly min: number | null;
      /** The state to enter at `until`; null: no timeout. */
      readonly late: StateName | null;
    }
  /** The answer of a person. */
  | ({ readonly kind: "answer" } & PendingQuestion);

/** A question of an agent (docs/protocol.md, "Questions"). */
export interface PendingQuestion {
  /** The step that asked: unique within the run. */
  readonly number: number;
  readonly question: string;
  /** The allowed answers; null: any text. */
  readonly options: readonly string[] | null;
  /** The state and input at `until`; null: no timeout. */
  readonly late: { readonly state: StateName; readonly input: string | null } | null;
  /** The full name of the asking state. `call`: its call (of a script: its visit), from 0. */
  readonly from: string;
  readonly call: number;
  /** The question is whether to allow these tool calls; absent: a question of the state. */
  readonly denied?: readonly Denial[] | undefined;
}

export interface Failed {
  readonly type: "failed";
  readonly error: StepError;
}

export interface StepError extends Pick<Failure, "class" | "message" | "hint"> {
  /** The full name of the state. */
  readonly state: string;
}

export const READY: Ready = { type: "ready" };

/** A wait of `ms` from `at`; null: until an event ends it. */
export function waitFor(ms: number | null, at: number, cause: WaitCause): Waiting {
  if (ms === null) return { type: "waiting", since: null, until: null, for: cause };
  return { type: "waiting", since: at, until: at + ms, for: cause };
}

/** Keeps the duration of a wait whose start is in the future because the clock was set back. */
export function withinDuration(activity: Activity, now: number): Activity {
  if (activity.type !== "waiting") return activity;
  const { since, until } = activity;
  if (until === null || since === null || since <= now) return activity;
  return { ...activity, since: now, until: now + (until - since) };
}

interface Active {
  readonly activity: Activity;
}

export function runningOf({ activity }: Active): Running | null {
  return activity.type === "running" ? activity : null;
}

export function errorOf({ activity }: Active): StepError | null {
  return activity.type === "failed" ? activity.error : null;
}

/** Whether an agent has no running step and has not failed. */
export function isIdle({ activity }: Active): boolean {
  return activity.type === "ready" || activity.type === "waiting";
}

/** Epoch ms before which the next step must not start; Infinity: only an event ends the wait; null: due. */
export function dueAt({ activity }: Active, now: number): number | null {
  if (activity.type !== "waiting") return null;
  if (activity.until === null) return Infinity;
  return activity.until > now ? activity.until : null;
}

function waitCauseOf({ activity }: Active): WaitCause | null {
  return activity.type === "waiting" ? activity.for : null;
}

/** The state that an agent enters when its wait times out; null: it stays in its state. */
export function timeoutStateOf(agent: Active): StateName | null {
  const cause = waitCauseOf(agent);
  if (cause?.kind === "answer") return cause.late?.state ?? null;
  return cause?.kind === "join" ? cause.late : null;
}

/** Whether an agent has failed, or waits for workers without a timeout. */
export function isBlocked(agent: Active): boolean {
  const { activity } = agent;
  if (activity.type === "failed") return true;
  return activity.type === "waiting" && activity.until === null && activity.for.kind !== "answer";
}

/** The question that an agent waits for; null if there is none. */
export function pendingQuestionOf(agent: Active): PendingQuestion | null {
  const cause = waitCauseOf(agent);
  return cause?.kind === "answer" ? cause : null;
}

/** Whether an agent has failed or waits for an answer or for workers. */
export function isParked(agent: Active): boolean {
  const kind = waitCauseOf(agent)?.kind;
  return agent.activity.type === "failed" || kind === "answer" || kind === "join";
}

/** Whether an agent waits for a retry. */
export function isRetrying(agent: Active): boolean {
  const kind = waitCauseOf(agent)?.kind;
  return kind === "retry" || kind === "limit";
}
