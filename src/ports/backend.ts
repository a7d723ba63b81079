import type { Session, SessionId } from "../core/machine/agent.ts";
import type { BackendFacts } from "../core/machine/backend-facts.ts";
import type { Failure } from "../core/machine/failure.ts";
import type { Denial, Stretch } from "../core/machine/outcome.ts";
import type { CallPart, Recollection } from "../core/machine/recollection.ts";
import type { SpendReport } from "../core/machine/spend.ts";
import type { Deadline } from "../core/machine/step.ts";
import type { MicroUsd } from "../core/money.ts";
import type { Effort } from "../core/workflow/state-file.ts";
import type { Cancellation } from "./cancellation.ts";
import type { StepListener, StepRecorder } from "./step-events.ts";

/** One call to a coding agent. */
export interface Invocation {
  readonly prompt: string;
  /** The prompt may hold text that its author did not write: `@path` in it must attach no file. */
  readonly disarmed: boolean;
  /** Its id is never null: made and saved before the call. */
  readonly session: Session;
  readonly cwd: string;
  readonly model: string | null;
  readonly effort: Effort | null;
  readonly skipPermissions: boolean;
  readonly tools: readonly string[] | null;
  readonly allowedTools: readonly string[] | null;
  readonly disallowedTools: readonly string[] | null;
  /** Absolute paths of files and folders that the call must not change, as far as the backend can deny it. */
  readonly deniedPaths: readonly string[];
  /** What this call may spend; null without a budget. */
  readonly maxBudgetMicroUsd: MicroUsd | null;
  /** What raymond adds to the environment: ids and token. */
  readonly env: Readonly<Record<string, string>>;
  /** Carried by every process of the call, also in `env`. */
  readonly token: string;
  /** No event for so long ends the call, ms; 0 = never. */
  readonly timeoutMs: number;
  /** The same while a tool call is unanswered. */
  readonly toolTimeoutMs: number;
  /** When the step's own time is over; null: never. */
  readonly deadline: Deadline | null;
  /** Its full name. */
  readonly state: string;
  /** Number of this call among those of its state, from 0: one that nobody heard is not counted. */
  readonly number: number;
  /** Tokens that its conversation is known to hold already; absent: none. */
  readonly contextTokens?: number;
  /** What `{{name}}` can name in this step. */
  readonly variables: Readonly<Record<string, string>>;
}

export type Reply =
  | {
      readonly kind: "reply";
      /**
       * The final message (docs/protocol.md, "Which text is read"); null
       * without any assistant text.
       */
      readonly text: string | null;
      readonly session: SessionId;
      readonly capped: boolean;
      readonly denials: readonly Denial[];
      readonly spend: SpendReport;
      readonly exitCode: number | null;
      readonly stretch?: Stretch | undefined;
    }
  | FailedCall;

/** A call that did not succeed. */
export type FailedCall = Failure & {
  readonly kind: "failure";
  /** The session, where the prompt was accepted; else null. */
  readonly session: SessionId | null;
  readonly spend: SpendReport;
  readonly exitCode: number | null;
  readonly stretch?: Stretch | undefined;
};

/** A call that was made by a raymond that has died, or what a person has said by hand. */
export interface PastCall {
  readonly session: SessionId;
  readonly cwd: string;
  /** When its step was recorded as in flight, or when the person came, epoch ms. */
  readonly since: number;
  /** Which part of the conversation it has added; without it, the lines since then. */
  readonly part?: CallPart | undefined;
  /** The model that was asked for, and the tokens that the conversation held before, where they are known. */
  readonly model?: string | null;
  readonly contextTokens?: number;
  /** The run may have copied the conversation since then. */
  readonly byHand?: true;
}

/** The part of a conversation with which another one begins, and the id that this one gets. */
export interface CarriedConversation {
  readonly session: SessionId;
  /** How much of it (`Stretch`); null: all. */
  readonly length: number | null;
  readonly as: SessionId;
  /** The folder in which its next call will be made. */
  readonly cwd: string;
}

/** The backend whose answers stand in a file: nothing is paid, and what things cost is made up. */
export const SIMULATION = "simulation";

/** Whether the costs of a run on this backend are made up. */
export function isSimulated(backend: string): boolean {
  return backend === SIMULATION;
}

/**
 * A coding agent that answers prompts: a real one, or a scripted one. Contract
 * (`tests/contracts/backend.ts`): `invoke` rejects only for bugs; it ends soon
 * after a cancellation; it leaves no process behind when it failed. What it
 * cannot is not asked of it: without `resume` and `branch` each session is
 * fresh, and then an id may come again; without `effort` and `budget` they are
 * null, without `tools` the lists are.
 */
export interface Backend extends BackendFacts {
  invoke(
    call: Invocation,
    cancellation: Cancellation,
    listener: StepListener,
    recorder: StepRecorder,
  ): Promise<Reply>;
  /** What the conversation tells of a call; null where there is none to look into. Never rejects. */
  readonly recall: (call: PastCall) => Promise<Recollection | null>;
}
