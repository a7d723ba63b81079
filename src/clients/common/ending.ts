import type { Invocation } from "../../engine/ports/backend.ts";
import type { ProcessEnd } from "../../engine/ports/process.ts";
import { type Failure, failure } from "../../machine/model/failure.ts";

/** Why the watchdog terminated a client. */
export type Expired =
  | { readonly kind: "silence"; readonly duringTool: boolean; readonly afterMs: number }
  /** `elapsedMs`: of all attempts of the step. */
  | { readonly kind: "deadline"; readonly limitMs: number; readonly elapsedMs: number };

/** A call after its process has ended. `Facts`: of its output. */
export interface CallEnding<Facts> {
  readonly call: Pick<
    Invocation,
    "prompt" | "session" | "cwd" | "model" | "maxTurns" | "sandbox" | "state"
  >;
  /** The command, for messages. */
  readonly command: string;
  readonly facts: Facts;
  readonly end: ProcessEnd;
  /** The end of standard error. */
  readonly stderr: string;
  /** Why the call was cancelled: the budget, or another reason. */
  readonly cancelled: "budget" | "stop" | null;
  readonly expired: Expired | null;
  /** The working directory does not exist, for which the system reports the command as missing. */
  readonly folderMissing: boolean;
  /** The client could not start, but has run before. */
  readonly updating?: boolean;
  /** End of the call, epoch ms, and the local IANA zone, to parse reset times. */
  readonly at: number;
  readonly timeZone: string;
}

/** Maximum lines of standard error in a message, and characters per line. */
const TAIL = { lines: 5, chars: 200 };

/** The last lines of standard error, to append to a message; may be empty. */
export function tail(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.trim().slice(0, TAIL.chars));
  const last = lines.filter((line) => line !== "").slice(-TAIL.lines);
  return last.length === 0 ? "" : ` Standard error: ${last.join(" / ")}`;
}

/** A message of the client as part of a sentence: one line, shortened, without the full stop. */
export function clause(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const short = line.length > 300 ? `${line.slice(0, 299)}…` : line;
  return short.endsWith(".") ? short.slice(0, -1) : short;
}

/** A failure that a retry cannot fix. */
export function permanent(message: string, hint: string): Failure {
  return failure("deterministic", message, hint);
}
