import type { Invocation } from "../../ports/backend.ts";
import type { ProcessEnd } from "../../ports/process.ts";
import type { CallFacts } from "./facts.ts";

/** Why raymond ended a client by itself. */
export type Expired =
  | { readonly kind: "silence"; readonly duringTool: boolean; readonly afterMs: number }
  /** `elapsedMs`: over all attempts of the step. */
  | { readonly kind: "deadline"; readonly limitMs: number; readonly elapsedMs: number };

/** All that is known of a call when its process is gone. */
export interface CallEnding {
  readonly call: Pick<Invocation, "prompt" | "session" | "cwd" | "model" | "state">;
  /** What was run, for messages. */
  readonly command: string;
  readonly facts: CallFacts;
  readonly end: ProcessEnd;
  /** The last of its standard error. */
  readonly stderr: string;
  /** A cancellation came while it ran: for want of money, or for any other reason. */
  readonly cancelled: "budget" | "stop" | null;
  readonly expired: Expired | null;
  /** The working directory does not exist: the system blames the command for it. */
  readonly folderMissing: boolean;
  /** When it ended, epoch ms, and the IANA zone of its clock: words of a limit are read by both. */
  readonly at: number;
  readonly timeZone: string;
}
