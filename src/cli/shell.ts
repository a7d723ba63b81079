import type { Style } from "../observers/style.ts";
import type { Caller } from "../runs/caller.ts";
import type { ForegroundCall, ForegroundEnd } from "../runs/wire/foreground.ts";
import type { AsCalled } from "./as-called.ts";
import type { Terminal } from "./live/terminal.ts";
import type { OnItsOwn } from "./on-its-own.ts";
import type { StreamOutput } from "./output.ts";

/** What a command may touch of the process that it runs in: so that tests need none. */
export interface Shell extends Caller {
  /** Results, and nothing else. */
  readonly out: StreamOutput;
  /** Everything that people read beside them. */
  readonly err: StreamOutput;
  /** For `err`. */
  readonly style: Style;
  readonly asCalled: AsCalled;
  /** Width of the terminal that shows `err`; null when it is none. */
  readonly columns: number | null;
  /** The same for `out`; where it is none, what COLUMNS says. */
  readonly outColumns: number | null;
  /** The terminal of `err`, to draw on; null where there is none, or nobody looks at it. Loaded when it is wanted. */
  readonly terminal: (() => Promise<Terminal | null>) | null;
  /** The program that runs, and all its arguments: what would do the same once more. */
  readonly command: readonly string[];
  /** Set: nobody sits at a terminal, and whoever has started this waits for word. */
  readonly onItsOwn: OnItsOwn | null;
  /** All of standard input, as text. */
  readStdin(): Promise<string>;
  /** Asks whoever sits at the terminal, until `signal`: a line, null where there comes none. Null: nobody sits there. */
  readonly ask: ((question: string, signal?: AbortSignal) => Promise<string | null>) | null;
  /** Hands a program this terminal until it ends; null where there is none. */
  readonly foreground: ((call: ForegroundCall) => Promise<ForegroundEnd>) | null;
  /** What the process ends with, once everything has been written. */
  exit(code: number): void;
}
