import { UnreadableFileError } from "../../files/read-file.ts";
import { RaymondError } from "../../language/basics/errors.ts";
import { type RunState, type StopReason, signalOf } from "../../machine/model/run-state.ts";

/** Scripts rely on these numbers (docs/cli.md, "Exit codes"). */
export const EXIT = {
  completed: 0,
  failed: 1,
  usage: 2,
  waitingForPerson: 3,
  budget: 4,
  usageLimit: 5,
  locked: 6,
  notFound: 7,
  bug: 70,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What each code means, for the help, the man page and docs/cli.md. */
export const EXIT_MEANINGS: { readonly [Name in keyof typeof EXIT]: string } = {
  completed: "Completed: every agent ended with <result>, or the command succeeded",
  failed: "Failed: an agent could not continue, or the command found a problem",
  usage: "Usage, configuration or lint error, found before the run was created",
  waitingForPerson: "Paused: every agent waits for an answer (raymond answer)",
  budget: "Stopped at the budget or at a step limit; resume with a higher one",
  usageLimit: "Paused by a usage limit or an outage (--no-wait), or by --park",
  locked: "Another process runs this run",
  notFound: "Path or run not found",
  bug: "Bug in raymond",
  interrupted: "Interrupted by Ctrl-C (SIGINT)",
  terminated: "Interrupted by SIGTERM or SIGHUP",
};

/** `raymond help exit-codes`. */
export function exitCodesText(): string {
  const names = Object.keys(EXIT) as (keyof typeof EXIT)[];
  return names
    .map((name) => `${String(EXIT[name]).padStart(3)}  ${EXIT_MEANINGS[name]}`)
    .join("\n");
}

/** Errors with another exit code than that of usage errors. */
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
  "run/set-completed": EXIT.failed,
  "run/set-ended": EXIT.failed,
  "run/set-asking": EXIT.failed,
  "run/set-opened": EXIT.failed,
  "run/set-late": EXIT.failed,
  "run/set-mismatch": EXIT.failed,
  "run/set-unchecked": EXIT.failed,
};

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof UnreadableFileError) return EXIT.usage;
  if (!(error instanceof RaymondError)) return EXIT.bug;
  return EXIT_BY_CODE[error.code] ?? EXIT.usage;
}

function exitCodeOfPause(reason: StopReason | null): ExitCode {
  if (reason?.class === "question") return EXIT.waitingForPerson;
  return reason?.class === "step-limit" ? EXIT.budget : EXIT.usageLimit;
}

export function exitCodeOfRun(run: RunState): ExitCode {
  switch (run.status) {
    case "completed":
      return EXIT.completed;
    case "failed":
      return EXIT.failed;
    case "budget_exceeded":
      return EXIT.budget;
    case "paused":
      return exitCodeOfPause(run.stopReason);
    case "interrupted":
      return run.stopReason !== null && signalOf(run.stopReason) === "SIGINT"
        ? EXIT.interrupted
        : EXIT.terminated;
    case "running":
    case "waiting":
      throw new Error(`run ${run.id} has not ended`);
  }
}
