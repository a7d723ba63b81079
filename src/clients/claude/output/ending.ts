import type { Invocation } from "../../../engine/ports/backend.ts";
import type { ProcessEnd } from "../../../engine/ports/process.ts";
import type { CallFacts } from "../facts.ts";

/** Why the watchdog terminated a client. */
export type Expired =
  | { readonly kind: "silence"; readonly duringTool: boolean; readonly afterMs: number }
  /** `elapsedMs`: of all attempts of the step. */
  | { readonly kind: "deadline"; readonly limitMs: number; readonly elapsedMs: number };

/** The facts of a call after its process has ended. */
export interface CallEnding {
  readonly call: Pick<Invocation, "prompt" | "session" | "cwd" | "model" | "state">;
  /** The command, for messages. */
  readonly command: string;
  readonly facts: CallFacts;
  readonly end: ProcessEnd;
  /** The end of standard error. */
  readonly stderr: string;
  /** Why the call was cancelled: the budget, or another reason. */
  readonly cancelled: "budget" | "stop" | null;
  readonly expired: Expired | null;
  /** The working directory does not exist, for which the system reports the command as missing. */
  readonly folderMissing: boolean;
  /** End of the call, epoch ms, and the local IANA zone, to parse reset times. */
  readonly at: number;
  readonly timeZone: string;
}
