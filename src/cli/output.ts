import { errorCode } from "../language/basics/error-code.ts";
import { printable } from "../log/printable.ts";
import { cliErrors } from "./words/errors.ts";

/** Where a command prints: standard output as a port. */
export interface Output {
  /** Prints the text and a line end. Never throws. */
  readonly line: (text: string) => void;
}

/** One object, over several lines. */
export function printJson(out: Output, value: object): void {
  out.line(JSON.stringify(value, null, 2));
}

/** An output that can also be written to in parts, and waited for. */
export interface StreamOutput extends Output {
  /** Writes the text as it is. Never throws. */
  readonly write: (text: string) => void;
  /** Resolves when what was written has left the process, or never will. Never rejects. */
  readonly flush: () => Promise<void>;
  /** Why some of it was lost, as the system says it; null where all of it arrived, or the reader went away. */
  readonly problem: () => string | null;
  /** Whether the reader went away, so that nothing more arrives. */
  readonly isClosed: () => boolean;
}

/**
 * A stream as an output that cannot hurt: a reader that went away (EPIPE), a
 * full disk (ENOSPC) or any other failure loses text and nothing else
 * (docs/durability.md, "Guarantees"). After EPIPE nothing more is tried.
 */
export function streamOutput(stream: NodeJS.WritableStream): StreamOutput {
  let closed = false;
  let problem: string | null = null;
  let last: Promise<void> = Promise.resolve();

  const failed = (error: unknown): void => {
    if (isPipeError(error)) closed = true;
    else if (error instanceof Error) problem = error.message;
  };
  stream.on("error", failed);

  const write = (text: string): void => {
    // A stream that has failed for good keeps what it is given and never answers.
    if (closed || !stream.writable || text === "") return;
    last = new Promise((resolve) => {
      try {
        stream.write(text, (error) => {
          failed(error);
          resolve();
        });
      } catch (error) {
        failed(error);
        resolve();
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

/** An output that is opened when it is first written to: that takes a good part of a short command. */
export function openedLate(open: () => StreamOutput): StreamOutput {
  let output: StreamOutput | null = null;
  const opened = (): StreamOutput => (output ??= open());
  return {
    write: (text) => {
      opened().write(text);
    },
    line: (text) => {
      opened().line(text);
    },
    flush: () => output?.flush() ?? Promise.resolve(),
    problem: () => output?.problem() ?? null,
    isClosed: () => output?.isClosed() ?? false,
  };
}

/**
 * The same for a terminal: control characters in the text are shown, and not
 * obeyed (docs/security.md, "Model output"), for results are written by
 * models and scripts. What is no terminal gets the text as it is.
 */
export function safeOnTerminal(output: StreamOutput, isTerminal: boolean): StreamOutput {
  if (!isTerminal) return output;
  const shown = (text: string) => text.split(/\r?\n/).map(printable).join("\n");
  return {
    flush: output.flush,
    problem: output.problem,
    isClosed: output.isClosed,
    write: (text) => {
      output.write(shown(text));
    },
    line: (text) => {
      output.line(shown(text));
    },
  };
}

const CLOSED: ReadonlySet<unknown> = new Set([
  "EPIPE",
  "ECONNRESET",
  "ERR_STREAM_DESTROYED",
  "ERR_STREAM_WRITE_AFTER_END",
]);

function isPipeError(error: unknown): boolean {
  return CLOSED.has(errorCode(error));
}

/** Rejects where an answer that was printed did not arrive: a command that only answers has then done nothing. */
export async function requireArrival({ flush, problem }: StreamOutput): Promise<void> {
  await flush();
  const reason = problem();
  if (reason !== null) throw cliErrors["cli/answer-lost"](reason);
}
