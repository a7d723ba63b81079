import type { RunState, StopReason } from "../core/machine/run-state.ts";
import { signalOf } from "../core/machine/run-state.ts";

/**
 * What the process says when it ends (docs/cli.md, "Exit codes"). Frozen by a
 * test: scripts rely on these numbers.
 */
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

const MEANINGS: { readonly [Name in keyof typeof EXIT]: string } = {
  completed: "completed: every agent ended by <result>",
  failed: "failed: an agent could not go on; the reason is shown and is in the state file",
  usage: "usage, configuration or lint error, found before the run was created",
  waitingForPerson: "paused: every agent waits for the answer of a person; raymond answer",
  budget: "stopped at the budget or at a step limit; resume with a higher one",
  usageLimit: "paused until later, by a usage limit or an outage (--no-wait), or by --park",
  locked: "another process holds this run",
  notFound: "a path or a run that does not exist",
  bug: "a bug in raymond",
  interrupted: "interrupted by Ctrl-C (SIGINT)",
  terminated: "interrupted by SIGTERM or SIGHUP",
};

/** The text of `raymond help exit-codes`: one line a code. */
export function exitCodesText(): string {
  const names = Object.keys(EXIT) as (keyof typeof EXIT)[];
  return names.map((name) => `${String(EXIT[name]).padStart(3)}  ${MEANINGS[name]}`).join("\n");
}

function exitCodeOfPause(reason: StopReason | null): ExitCode {
  if (reason?.class === "question") return EXIT.waitingForPerson;
  return reason?.class === "step-limit" ? EXIT.budget : EXIT.usageLimit;
}

/** The exit code of a run that has ended (docs/cli.md, "Exit codes"). */
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
