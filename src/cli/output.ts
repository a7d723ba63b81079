import { errorCode } from "../language/basics/error-code.ts";
import { printable } from "../log/printable.ts";
import type { RunState } from "../machine/model/run-state.ts";
import { cliErrors } from "./words/errors.ts";

/** Where a command prints. Writing never throws. */
export interface StreamOutput {
  readonly write: (text: string) => void;
  /** Writes the text and a line feed. */
  readonly line: (text: string) => void;
  /** Resolves when the text was written or has failed to be written. Never rejects. */
  readonly flush: () => Promise<void>;
  /** The system's message if text was lost; null otherwise, and if the reader has closed the pipe. */
  readonly problem: () => string | null;
  readonly isClosed: () => boolean;
}

/** Prints one JSON object on several lines. */
export function printJson(out: Pick<StreamOutput, "line">, value: object): void {
  out.line(JSON.stringify(value, null, 2));
}

/** Prints the result of a run that has ended. */
export function printResult({ status, settings, results }: RunState, out: StreamOutput): void {
  const result = results["main"];
  // With --keep-going, main ends as usual even if a worker has failed.
  const hasEnded = status === "completed" || (status === "failed" && settings.keepGoing);
  if (hasEnded && result !== undefined) {
    out.write(result === "" || result.endsWith("\n") ? result : `${result}\n`);
  }
}

/**
 * An output on a stream, which is opened at the first write, because opening takes a good part of a short command. A
 * closed pipe, a full disk or any other failure loses text and nothing else (docs/durability.md, "Guarantees"). After
 * EPIPE nothing is written any more. `isTerminal`: control characters are made visible, because results are written by
 * models and scripts (docs/untrusted-input.md, "Model output").
 */
export function streamOutput(open: () => NodeJS.WritableStream, isTerminal = false): StreamOutput {
  let stream: NodeJS.WritableStream | null = null;
  let closed = false;
  let problem: string | null = null;
  let last: Promise<void> = Promise.resolve();

  const failed = (error: unknown): void => {
    if (CLOSED.has(errorCode(error))) closed = true;
    else if (error instanceof Error) problem = error.message;
  };
  const opened = (): NodeJS.WritableStream => (stream ??= open().on("error", failed));
  const write = (text: string): void => {
    // A stream that has failed keeps the text and never calls back.
    if (text === "" || closed || !opened().writable) return;
    const shown = isTerminal ? text.split(/\r?\n/).map(printable).join("\n") : text;
    last = new Promise((resolve) => {
      const done = (error: unknown) => {
        failed(error);
        resolve();
      };
      try {
        opened().write(shown, done);
      } catch (error) {
        done(error);
      }
    });
  };

  return {
    write,
    line: (text) => {
      write(`${text}\n`);
    },
    flush: () => (closed ? Promise.resolve() : last),
    problem: () => problem,
    isClosed: () => closed,
  };
}

/** Error codes of a pipe whose reader has closed it. */
const CLOSED: ReadonlySet<unknown> = new Set([
  "EPIPE",
  "ECONNRESET",
  "ERR_STREAM_DESTROYED",
  "ERR_STREAM_WRITE_AFTER_END",
]);

/** Throws if a printed answer was lost: a command that only answers has then failed. */
export async function requireArrival({ flush, problem }: StreamOutput): Promise<void> {
  await flush();
  const reason = problem();
  if (reason !== null) throw cliErrors["cli/answer-lost"](reason);
}
