import type { Failure } from "../../../machine/model/failure.ts";
import { failureOf } from "../../common/answer-end.ts";
import { clause, permanent } from "../../common/ending.ts";
import type { ClaudeEnding, Verdict } from "../facts.ts";

/** Input limit of the clients, bytes. */
const STDIN_LIMIT = 10_000_000;

/** A prompt that can fill the context of a model on its own, bytes. */
const LONG_PROMPT = 100_000;

/** The prompt, or the conversation with it, is too large. */
export function promptFailure(
  { call }: Pick<ClaudeEnding, "call">,
  { terminalReason, apiStatus, text }: Verdict,
): Failure | null {
  const size = formatMegabytes(Buffer.byteLength(call.prompt));
  if (terminalReason === "blocking_limit") {
    const limit = `The limit of claude is ${formatMegabytes(STDIN_LIMIT)}, or less for a small context.`;
    const problem = `The prompt of ${size} is too long for the context of this model.`;
    return permanent(`${problem} ${limit}`, BY_FILE);
  }
  if (terminalReason !== "prompt_too_long" && apiStatus !== 413) return null;
  // A short prompt is not the reason.
  if (Buffer.byteLength(call.prompt) < LONG_PROMPT) return failureOf("context-limit", text);
  const problem = terminalReason === "prompt_too_long" ? "too long" : "too large";
  return permanent(`With a prompt of ${size} the request is ${problem}: ${clause(text)}.`, BY_FILE);
}

/** The client rejected the prompt on standard error. */
export function stdinFailure({
  call,
  stderr,
}: Pick<ClaudeEnding, "call" | "stderr">): Failure | null {
  if (!/stdin input exceeds/i.test(stderr)) return null;
  const size = formatMegabytes(Buffer.byteLength(call.prompt));
  const limit = /exceeds\s+(\d+)\s*MB/i.exec(stderr)?.[1];
  const most = limit === undefined ? formatMegabytes(STDIN_LIMIT) : `${limit} MB`;
  return permanent(`The prompt has ${size}, and the limit of claude is ${most}.`, BY_FILE);
}

const BY_FILE = "Write the large part to a file, and refer to the file in the prompt.";

/** `11.0 MB`, in millions of bytes; smaller sizes in thousands. */
function formatMegabytes(bytes: number): string {
  return bytes >= 1e5 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e3).toFixed(1)} kB`;
}
