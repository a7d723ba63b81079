import type { MicroUsd } from "../../language/basics/money.ts";
import type { Denial } from "../../machine/model/denial.ts";

/** How a scripted call can fail (docs/simulation.md). */
export const FAILURES = ["crash", "outage", "limit", "deterministic"] as const;
type ScriptedFailure = (typeof FAILURES)[number];

/** The content of a `*.sim.yaml` (docs/simulation.md). */
export interface Simulation {
  /** For messages. */
  readonly file: string;
  /** By full name (`PLAN.md`, or `review/READ.md` in another workflow), in NFC. */
  readonly states: ReadonlyMap<string, ScriptedState>;
  /** Answers to questions by the full name of the state that asks. A prompt state has one per reply. */
  readonly answers: ReadonlyMap<string, readonly ScriptedAnswer[]>;
}

/** The answer to the question of one call of a prompt, or one visit of a script; null: none. */
export interface ScriptedAnswer {
  readonly answer: string | null;
  readonly times: number | "always";
}

/** The replies of a state, in order. */
export interface ScriptedState {
  /** First line in the file, from 1. */
  readonly line: number;
  readonly replies: readonly ScriptedReply[];
}

interface Timed {
  readonly times: number | "always";
  /** Duration of the call, ms. */
  readonly delayMs: number;
  /** Null for a failure without a reported cost. */
  readonly costMicroUsd: MicroUsd | null;
}

/** The result of one call: a message of the model, or a failure. */
export type ScriptedReply =
  | (Timed & {
      readonly kind: "reply";
      /** May contain `{{placeholders}}`. Empty: no message. */
      readonly text: string;
      /** The answer if the reply asks a person; null: none, and the run waits. */
      readonly answer: string | null;
      /** Size of the conversation after it, tokens of 200,000; null: not reported. */
      readonly context: number | null;
      readonly capped: boolean;
      readonly denials: readonly Denial[];
    })
  | (Timed & {
      readonly kind: "failure";
      readonly class: ScriptedFailure;
      readonly message: string | null;
    });
