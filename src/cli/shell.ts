import type { Style } from "../console/style.ts";
import type { Caller } from "../wire/caller.ts";
import type { ForegroundCall, ForegroundEnd } from "../wire/system/foreground.ts";
import type { DetachedChild } from "./detached-child.ts";
import type { Terminal } from "./live/terminal.ts";
import type { StreamOutput } from "./output.ts";
import type { AsCalled } from "./words/report-error.ts";

/** The parts of the process that a command may use. Tests provide their own. */
export interface Shell extends Caller {
  /** Standard output: results only. */
  readonly out: StreamOutput;
  /** Standard error: messages for people. */
  readonly err: StreamOutput;
  /** For `err`. */
  readonly style: Style;
  readonly asCalled: AsCalled;
  /** Width of the terminal that shows `err`; null without a terminal. */
  readonly columns: number | null;
  /** The same for `out`; without a terminal, the variable COLUMNS. */
  readonly outColumns: number | null;
  /** The terminal of `err`, for the live view. Null without a terminal, and if no person watches it. Loaded on demand. */
  readonly terminal: (() => Promise<Terminal | null>) | null;
  /** The command line of this process, to start it again. */
  readonly command: readonly string[];
  /** Set in a process that `--detach` started. */
  readonly detachedChild: DetachedChild | null;
  /** All of standard input, as text. */
  readStdin(): Promise<string>;
  /** Asks at the terminal, until `signal`. Resolves with a line, or null at the end of input. Null without a terminal. */
  readonly ask: ((question: string, signal?: AbortSignal) => Promise<string | null>) | null;
  /** Runs a program in this terminal. Null without a terminal. */
  readonly foreground: ((call: ForegroundCall) => Promise<ForegroundEnd>) | null;
  exit(code: number): void;
}
