import type { MicroUsd } from "../../language/basics/money.ts";
import type { BackendFacts } from "../../machine/backends/backend-facts.ts";
import type { CallPermissions } from "../../machine/decide/permissions.ts";
import type { Deadline, DeniedName } from "../../machine/decide/step.ts";
import type { StepEnvironment } from "../../machine/decide/step-environment.ts";
import type { Session, SessionId } from "../../machine/model/agent.ts";
import type { Denial, Grant } from "../../machine/model/denial.ts";
import type { Failure } from "../../machine/model/failure.ts";
import type { Stretch } from "../../machine/model/outcome.ts";
import type { CallPart, RecoveredSession } from "../../machine/model/recovered-session.ts";
import type { RunSettings } from "../../machine/model/run-state.ts";
import type { SpendReport } from "../../machine/model/spend.ts";
import type { Cancellation } from "./cancellation.ts";
import type { StepListener, StepRecorder } from "./step-events.ts";

/** One call to a coding agent. */
export interface Invocation
  extends Pick<RunSettings, "model" | "effort" | "fallbackModel" | "maxTurns">,
    CallPermissions {
  readonly prompt: string;
  /** The prompt may contain untrusted text: `@path` in it must not attach a file. */
  readonly disarmed: boolean;
  /** Its id is never null: it is created and saved before the call. */
  readonly session: Session;
  readonly cwd: string;
  /**
   * Absolute paths of files and folders that the call must not change, as far as the backend can
   * deny that.
   */
  readonly deniedPaths: readonly string[];
  /** The same by name, whether the files exist or not; absent: none. */
  readonly deniedNames?: readonly DeniedName[] | undefined;
  /** Restricts tools that change files, run commands or use the network; null: no sandbox. */
  readonly sandbox: CallSandbox | null;
  /** Denied tool calls (`Denial.exact`) that a person has allowed: exactly these, and no others. */
  readonly grants: readonly Grant[];
  /** Budget of this call; null for none. */
  readonly maxBudgetMicroUsd: MicroUsd | null;
  /** What the call receives from the environment of raymond. */
  readonly environment: StepEnvironment;
  /** Variables that raymond adds to the environment: ids and token. */
  readonly env: Readonly<Record<string, string>>;
  /** The token of every process of the call, also in `env`. */
  readonly token: string;
  /** Ends the call after this time without an event, ms; 0 = never. */
  readonly timeoutMs: number;
  /** The same while a tool call is pending. */
  readonly toolTimeoutMs: number;
  /** When the step's own timeout expires; null: never. */
  readonly deadline: Deadline | null;
  /** MCP servers that must be connected before the prompt is sent; absent: none. */
  readonly requiredServers?: readonly string[];
  /** Its full name. */
  readonly state: string;
  /**
   * Number of this call among those of its state, from 0. Calls that were not accepted do not
   * count.
   */
  readonly number: number;
  /** Tokens that the conversation already contains; absent: none. */
  readonly contextTokens?: number;
  /** Values for `{{name}}`. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Paths are absolute, with links resolved. */
export interface CallSandbox {
  /** Contains the working folder of the call. */
  readonly writable: readonly string[];
  readonly network: boolean;
}

interface CallUsage {
  readonly spend: SpendReport;
  readonly exitCode: number | null;
  readonly stretch?: Stretch | undefined;
}

export type Reply =
  | (CallUsage & {
      readonly kind: "reply";
      /**
       * The final message (docs/protocol.md, "Text that is read"); null
       * without any assistant text.
       */
      readonly text: string | null;
      readonly session: SessionId;
      readonly capped: boolean;
      readonly denials: readonly Denial[];
      /** Background work of the model that did not complete, in words; absent: none. */
      readonly endedWork?: readonly string[];
    })
  | FailedCall;

export type FailedCall = Failure &
  CallUsage & {
    readonly kind: "failure";
    /** The session if the prompt was accepted, else null. */
    readonly session: SessionId | null;
    readonly denials?: readonly Denial[];
  };

/** A call of an earlier raymond process that died, or a manual session. */
export interface PastCall {
  readonly session: SessionId;
  readonly cwd: string;
  /** When the step was saved as in flight, or the manual session started, epoch ms. */
  readonly since: number;
  /** The part of the conversation that the call added; if absent, the lines since then. */
  readonly part?: CallPart | undefined;
  /** The requested model, and the tokens that the conversation contained before, if known. */
  readonly model?: string | null;
  readonly contextTokens?: number;
  /** A manual session: the run may have copied the conversation since. */
  readonly byHand?: true;
}

/** The first part of a conversation, copied to a new one with the id `as`. */
export interface CarriedConversation {
  readonly session: SessionId;
  /** Length of that part (`Stretch`); null: all. */
  readonly length: number | null;
  readonly as: SessionId;
  /** The working directory of its next call. */
  readonly cwd: string;
}

export { isSimulated, SIMULATION } from "../../machine/backends/simulation.ts";

/**
 * A coding agent that answers prompts, real or scripted. Contract (`tests/contracts/backend.ts`):
 * `invoke` rejects only for bugs, ends soon after a cancellation, and leaves no process behind
 * after a failure. It receives no unsupported options: without `resume` and `branch` each session
 * is fresh (and an id may repeat), without `effort`, `budget` and `sandbox` they are null, without
 * `tools` the lists are null, without `mcp` no servers are required, and it gets no level
 * `read-only` and no items of kinds that are not in `permissions`.
 */
export interface Backend extends BackendFacts {
  invoke(
    call: Invocation,
    cancellation: Cancellation,
    listener: StepListener,
    recorder: StepRecorder,
  ): Promise<Reply>;
  /**
   * Recovers the result of an earlier call from its conversation; null if there is none. Never
   * rejects.
   */
  readonly recover: (call: PastCall) => Promise<RecoveredSession | null>;
  /** With `cost: "priced"`: whether the price of a model is known; null: its default model. */
  readonly hasPrice?: (model: string | null) => boolean;
}

/** The coding agents of a run, opened when they are first needed. */
export interface Backends<B = Backend> {
  /** That of states and conversations that name none. */
  readonly default: B;
  /** By name. Throws a RaymondError for an unknown name. A simulation stands for all coding agents. */
  of(name: string): B;
}

/** One backend for all names. */
export function onlyBackend<B>(backend: B): Backends<B> {
  return { default: backend, of: () => backend };
}
