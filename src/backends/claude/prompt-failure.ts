import { type Failure, failure } from "../../core/machine/failure.ts";
import type { CallEnding } from "./ending.ts";
import type { Verdict } from "./facts.ts";
import { clause } from "./said.ts";

/** What both clients take by standard input at most, bytes. */
const STDIN_LIMIT = 10_000_000;

/** The prompt, or the conversation with it, is too large: the message names both sizes. */
export function promptFailure(
  { call }: Pick<CallEnding, "call">,
  verdict: Verdict,
): Failure | null {
  const size = formatMegabytes(Buffer.byteLength(call.prompt));
  switch (verdict.terminalReason ?? "") {
    case "blocking_limit":
      return failure(
        "deterministic",
        `The prompt of ${size} is too long for this model's context: claude takes ${formatMegabytes(STDIN_LIMIT)} at most, and less where the context is smaller.`,
        BY_FILE,
      );
    case "prompt_too_long":
      return failure(
        "deterministic",
        `With a prompt of ${size} the request is too long: ${clause(verdict.text)}.`,
        BY_FILE,
      );
    default:
      break;
  }
  if (verdict.apiStatus !== 413) return null;
  return failure(
    "deterministic",
    `With a prompt of ${size} the request is too large: ${clause(verdict.text)}.`,
    BY_FILE,
  );
}

/** The client refused to read the prompt at all, and said so on standard error. */
export function stdinFailure({
  call,
  stderr,
}: Pick<CallEnding, "call" | "stderr">): Failure | null {
  if (!/stdin input exceeds/i.test(stderr)) return null;
  const size = formatMegabytes(Buffer.byteLength(call.prompt));
  const limit = /exceeds\s+(\d+)\s*MB/i.exec(stderr)?.[1];
  const most = limit === undefined ? formatMegabytes(STDIN_LIMIT) : `${limit} MB`;
  return failure(
    "deterministic",
    `The prompt has ${size}, and claude takes ${most} at most.`,
    BY_FILE,
  );
}

const BY_FILE = "Write the large part to a file, and let the prompt name the file.";

/** `11.0 MB`, in millions of bytes; smaller sizes in thousands. */
function formatMegabytes(bytes: number): string {
  return bytes >= 1e5 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e3).toFixed(1)} kB`;
}
