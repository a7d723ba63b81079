import type { StateName } from "../protocol/transition.ts";
import type { Failure } from "./failure.ts";
import type { SpendReport } from "./spend.ts";

/** What an agent does, or why it does nothing. */
export type Activity = Ready | Running | Waiting | Failed;

/** It may step. */
export interface Ready {
  readonly type: "ready";
}

/**
 * A step that was started, as recorded before its process was
 * (docs/durability.md, "How it works").
 */
export interface Running {
  readonly type: "running";
  /** Run-wide number of this process: names its debug files, and its token. */
  readonly process: number;
  readonly kind: "prompt" | "script";
  /** ISO 8601. */
  readonly startedAt: string;
  /** The client took the prompt: its first event after `init` was seen. */
  readonly accepted: boolean;
  /** Bytes of its conversation before the call: what follows is the call's, whatever the clocks say. Null: not known. */
  readonly conversationBytes: number | null;
  /** What it has used so far, as far as it was told: priced when the process dies with raymond. */
  readonly spend: SpendReport | null;
  /** Number of this call among those of its state, from 0; null for scripts. */
  readonly call: number | null;
}

/** It may step when a time has come. */
export interface Waiting {
  readonly type: "waiting";
  /**
   * When a wait of a fixed duration began, epoch ms: with `until` it tells the duration, whatever happens to
   * the clock. Null of any other.
   */
  readonly since: number | null;
  /** Epoch ms; null: only something that happens ends it. */
  readonly until: number | null;
  readonly for: WaitCause;
}

export type WaitCause =
  /** The pause before the next attempt; `tries` is how often it was tried again so far. */
  | { readonly kind: "retry"; readonly class: "crash" | "outage"; readonly tries: number }
  /** The end of the usage limit that it has met itself: it can be farther away than the run's. */
  | { readonly kind: "limit"; readonly message: string }
  /** The `delay` of the tag that led to its state. */
  | { readonly kind: "delay" }
  /** The ends of its workers: of `min` that end well, or (null) of all. */
  | {
      readonly kind: "join";
      readonly min: number | null;
      /** Where it goes at `until`, where that comes first; null where it waits for ever. */
      readonly late: StateName | null;
    }
  /** The answer of a person. */
  | ({ readonly kind: "answer" } & Asked);

/** What an agent has asked (docs/protocol.md, "Questions"). */
export interface Asked {
  /** Of the step that asked: no two questions of a run have the same. */
  readonly number: number;
  readonly question: string;
  /** The answers that there are; null: any text is one. */
  readonly options: readonly string[] | null;
  /** Where it goes at `until`, and with what; null where it waits for ever. */
  readonly late: { readonly state: StateName; readonly input: string | null } | null;
  /** The full name of the state that asks, and which of its calls it was (of a script: of its visits), from 0. */
  readonly from: string;
  readonly call: number;
}

/** It needs a person. */
export interface Failed {
  readonly type: "failed";
  readonly error: StepError;
}

/** Why an agent has failed, for the user, and where. */
export interface StepError extends Pick<Failure, "class" | "message" | "hint"> {
  /** Its full name. */
  readonly state: string;
}

export const READY: Ready = { type: "ready" };

/** A wait that begins at `at` and takes so long, ms; null: until something happens. */
export function waitFor(ms: number | null, at: number, cause: WaitCause): Waiting {
  if (ms === null) return { type: "waiting", since: null, until: null, for: cause };
  return { type: "waiting", since: at, until: at + ms, for: cause };
}

/** A wait that began later than now, because the clock was set back since then: it takes as long as it was to take. */
export function withinDuration(activity: Activity, now: number): Activity {
  if (activity.type !== "waiting") return activity;
  const { since, until } = activity;
  if (until === null || since === null || since <= now) return activity;
  return { ...activity, since: now, until: now + (until - since) };
}

interface Active {
  readonly activity: Activity;
}

/** The step that an agent is in; null where none runs. */
export function runningOf({ activity }: Active): Running | null {
  return activity.type === "running" ? activity : null;
}

/** Why an agent has failed; null where it has not. */
export function errorOf({ activity }: Active): StepError | null {
  return activity.type === "failed" ? activity.error : null;
}

/** Whether an agent has no step that runs, and will have one without a person's help. */
export function isIdle({ activity }: Active): boolean {
  switch (activity.type) {
    case "ready":
    case "waiting":
      return true;
    case "running":
    case "failed":
      return false;
  }
}

/**
 * Epoch ms before which an agent must not step, where that is still to come;
 * Infinity: no time will do. Null: nothing keeps it.
 */
export function dueAt({ activity }: Active, now: number): number | null {
  switch (activity.type) {
    case "ready":
    case "running":
    case "failed":
      return null;
    case "waiting":
      if (activity.until === null) return Infinity;
      return activity.until > now ? activity.until : null;
  }
}

/** The state to which an agent goes when the time is over for which it waits; null: it stays where it is. */
export function lateOf({ activity }: Active): StateName | null {
  if (activity.type !== "waiting") return null;
  switch (activity.for.kind) {
    case "join":
      return activity.for.late;
    case "answer":
      return activity.for.late?.state ?? null;
    case "retry":
    case "limit":
    case "delay":
      return null;
  }
}

/** Whether an agent can make no step before somebody else has done something: its workers, or, where it has failed, a person. */
export function isStuck(agent: Active): boolean {
  const { activity } = agent;
  if (activity.type === "failed") return true;
  return activity.type === "waiting" && activity.until === null && activity.for.kind !== "answer";
}

/** What an agent has asked a person, and waits for; null where it has not. */
export function askedBy({ activity }: Active): Asked | null {
  return activity.type === "waiting" && activity.for.kind === "answer" ? activity.for : null;
}

/**
 * Whether no agent will do anything by itself but to go on when its time is over:
 * each waits for an answer, for others that do, or needs a person.
 */
export function isParked({ activity }: Active): boolean {
  switch (activity.type) {
    case "ready":
    case "running":
      return false;
    case "failed":
      return true;
    case "waiting":
      return activity.for.kind === "answer" || activity.for.kind === "join";
  }
}

/** Whether an agent waits to try again what has failed. */
export function isRetrying({ activity }: Active): boolean {
  if (activity.type !== "waiting") return false;
  switch (activity.for.kind) {
    case "retry":
    case "limit":
      return true;
    case "delay":
    case "join":
    case "answer":
      return false;
  }
}
