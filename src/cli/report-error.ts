import { inspect } from "node:util";
import { RaymondError } from "../core/errors.ts";
import { sourceStack } from "../launch/source-stack.ts";
import { printable } from "../observers/printable.ts";
import { plainStyle, type Style } from "../observers/style.ts";
import type { AsCalled } from "./as-called.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";

/** Codes of errors that have an exit code of their own; all others are usage errors. */
const EXIT_BY_CODE: Readonly<Record<string, ExitCode>> = {
  "store/run-locked": EXIT.locked,
  "store/run-taken": EXIT.locked,
  "run/out-of-reach": EXIT.locked,
  "store/unknown-run": EXIT.notFound,
  "run/gone": EXIT.notFound,
  "run/unknown-agent": EXIT.notFound,
  "run/unknown-step": EXIT.notFound,
  "run/no-conversation": EXIT.notFound,
  "run/conversation-gone": EXIT.notFound,
  "run/open-already": EXIT.locked,
  "run/not-kept": EXIT.failed,
  "run/agent-ended": EXIT.failed,
  "run/no-event-log": EXIT.notFound,
  "workflow/not-found": EXIT.notFound,
  "serve/no-runs-there": EXIT.notFound,
  "test/no-such-place": EXIT.notFound,
  "run/launch-dir-gone": EXIT.notFound,
  "run/scope-gone": EXIT.notFound,
  "cli/no-current-folder": EXIT.notFound,
  "cli/answer-lost": EXIT.failed,
  "run/no-question": EXIT.failed,
  "run/answered": EXIT.failed,
  "run/answer-too-late": EXIT.failed,
};

/** The exit code that an error ends the process with (docs/cli.md, "Exit codes"). */
export function exitCodeOf(error: unknown): ExitCode {
  if (!(error instanceof RaymondError)) return EXIT.bug;
  return EXIT_BY_CODE[error.code] ?? EXIT.usage;
}

/**
 * The one place where an error becomes text: a sentence and a hint for users, a
 * stack for bugs. Returns the exit code.
 */
export function reportError(
  error: unknown,
  line: (text: string) => void,
  style: Style = plainStyle,
  asCalled: AsCalled = (hint) => hint,
): ExitCode {
  if (error instanceof RaymondError) {
    reportLines(style.error("error:"), `${error.message} [${error.code}]`, line);
    if (error.hint !== undefined) {
      reportLines(style.accent("hint:"), asCalled(error.hint), line);
    }
  } else {
    // inspect shows the causes and the fields of an error besides its stack.
    for (const text of sourceStack(inspect(error)).split("\n")) line(printable(text));
    line(style.error("This is a bug in raymond."));
  }
  return exitCodeOf(error);
}

function reportLines(label: string, text: string, line: (text: string) => void): void {
  const [first = "", ...rest] = text.split(/\r?\n/);
  line(`${label} ${printable(first)}`);
  for (const more of rest) line(`  ${printable(more)}`);
}
