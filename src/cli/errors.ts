import { RaymondError } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";
import { shellWord } from "../observers/shell-word.ts";

/** Flags that say two different things. */
export class FlagConflictError extends RaymondError {
  override readonly name = "FlagConflictError";
  readonly code = "cli/flag-conflict";

  constructor(problem: string, hint: string) {
    super(problem, { hint });
  }
}

/** `raymond prune --all` where nobody can be asked. */
export class UnconfirmedPruneError extends RaymondError {
  override readonly name = "UnconfirmedPruneError";
  readonly code = "cli/unconfirmed";

  constructor() {
    super(
      "raymond prune --all also deletes runs that can be resumed, and cannot ask for confirmation: standard input or standard error is not a terminal.",
      { hint: "Nothing was deleted. Confirm with --yes, or list the runs with --dry-run." },
    );
  }
}

/** A command that takes no run of a fleet, where one is meant. */
export class NotInFleetError extends RaymondError {
  override readonly name = "NotInFleetError";
  readonly code = "cli/not-in-fleet";

  constructor(command: string, instead: string) {
    super(`raymond ${command} takes no run of a fleet.`, {
      hint: `${instead} A run of this project: --no-fleet.`,
    });
  }
}

/** `raymond fleet` with a word that it does not know. */
export class UnknownFleetWordError extends RaymondError {
  override readonly name = "UnknownFleetWordError";
  readonly code = "cli/unknown-fleet-word";

  constructor(word: string, known: readonly string[]) {
    super(`raymond fleet does not know "${word}".`, {
      hint: `${meant(word, known)}It takes: ${known.join(", ")}.`,
    });
  }
}

function meant(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === null ? "" : `Did you mean ${near}? `;
}

/** `raymond schedules` with a word that it does not know, or without the name behind it. */
export class BadSchedulesCallError extends RaymondError {
  override readonly name = "BadSchedulesCallError";
  readonly code = "cli/bad-schedules-call";

  constructor(word: string, known: readonly string[]) {
    super(
      known.includes(word)
        ? `raymond schedules ${word} needs the name of a schedule.`
        : `raymond schedules does not know "${word}".`,
      {
        hint: `${known.includes(word) ? "" : meant(word, known)}It takes nothing, or: ${known.map((one) => `${one} NAME`).join(", ")}.`,
      },
    );
  }
}

/** What stands where a workflow belongs is a run, or its state file, or looks like one. */
export class RunForWorkflowError extends RaymondError {
  override readonly name = "RunForWorkflowError";
  readonly code: "workflow/not-found" | "workflow/not-a-workflow";

  constructor(word: string, kind: keyof typeof RUN_FOR_WORKFLOW) {
    const shown = shellWord(word);
    super(RUN_FOR_WORKFLOW[kind](word), {
      hint:
        kind === "missing-file"
          ? "If the state file of a run is meant: `raymond list` shows the runs that there are, and `raymond --resume ID` goes on with one."
          : `\`raymond --resume ${shown}\` goes on with it, \`raymond status ${shown}\` shows where it stands.`,
    });
    this.code = kind === "state-file" ? "workflow/not-a-workflow" : "workflow/not-found";
  }
}

const RUN_FOR_WORKFLOW = {
  run: (word: string) => `There is no workflow "${word}" here, but a run is called so.`,
  "like-a-run": (word: string) => `There is no workflow "${word}" here; runs have such names.`,
  "state-file": (word: string) => `${word} is no workflow, but may be the state file of a run.`,
  "missing-file": (word: string) =>
    `There is no file ${word}, and a workflow is a folder, a zip, a .yaml file or a state.`,
} as const;

/** A word that is neither a workflow here nor a command, and is near to one. */
export class MistypedCommandError extends RaymondError {
  override readonly name = "MistypedCommandError";
  // The word stands where a workflow may: scripts see the same exit code as for a path that is not there.
  readonly code = "workflow/not-found";

  /** `meant`: a command, or an option such as `--init-config`. */
  constructor(word: string, meant: string) {
    const what = meant.startsWith("--") ? `raymond ${meant}` : `the command ${meant}`;
    super(`There is no workflow "${word}" here, and no such command.`, {
      hint: `Did you mean ${what}? raymond --help shows all commands.`,
    });
  }
}

/** `raymond answer` without an answer. `run`: what stands in its place is the name of a run. */
export class NoAnswerGivenError extends RaymondError {
  override readonly name = "NoAnswerGivenError";
  readonly code = "cli/no-answer-given";

  constructor(run: string | null) {
    super(
      run === null
        ? "There is no answer."
        : `${run} is the name of a run, and there is no answer behind it.`,
      {
        hint: `Write raymond answer ${run ?? "[RUN]"} TEXT, or - in place of TEXT to read standard input.`,
      },
    );
  }
}

/** `raymond tag` with values that are not a tag. */
export class BadTagError extends RaymondError {
  override readonly name = "BadTagError";
  readonly code = "cli/bad-tag";

  constructor(problem: string, hint: string) {
    super(problem, { hint });
  }
}

/** raymond is called in a folder that was deleted. */
export class NoCurrentFolderError extends RaymondError {
  override readonly name = "NoCurrentFolderError";
  readonly code = "cli/no-current-folder";

  constructor(cause: unknown) {
    super("The current folder does not exist any more.", {
      hint: "Change to one that does, and call raymond again.",
      cause,
    });
  }
}

/** What a command had to say could not be written. */
export class AnswerLostError extends RaymondError {
  override readonly name = "AnswerLostError";
  readonly code = "cli/answer-lost";

  constructor(reason: string) {
    super(`The answer could not be written to standard output: ${reason}.`, {
      hint: "Send it to a place that has room.",
    });
  }
}

/** `--github-summary` where no CI job has a summary. */
export class NoSummaryFileError extends RaymondError {
  override readonly name = "NoSummaryFileError";
  readonly code = "cli/no-summary-file";

  constructor() {
    super("There is no summary to add to: GITHUB_STEP_SUMMARY is not set.", {
      hint: "GitHub sets it for the steps of a job. Elsewhere say --output FILE.",
    });
  }
}
