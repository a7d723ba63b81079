import { shellWord } from "../../console/shell-word.ts";
import { defineErrors, type ErrorText } from "../../language/basics/errors.ts";

export const cliErrors = defineErrors({
  // Reported by commander
  "cli/unknown-option": usage,
  "cli/unknown-command": usage,
  "cli/missing-argument": usage,
  "cli/too-many-arguments": usage,

  "cli/flag-conflict": (message: string, hint: string) => ({ message, hint }),
  "cli/bad-tag": (message: string, hint: string) => ({ message, hint }),
  "cli/bad-merge": () => ({
    message: "raymond merge requires branches or --joined, or only --continue.",
    hint: "Show examples with: raymond merge --help",
  }),
  "cli/bad-call": (message: string, hint: string) => ({ message, hint }),
  "cli/unknown-topic": (topic: string, meant: string | null, topics: readonly string[]) => ({
    message: `No help for "${topic}".`,
    hint: meant === null ? `Topics: ${topics.join(", ")}.` : `Did you mean: raymond help ${meant}`,
  }),
  "cli/unconfirmed": () => ({
    message:
      "raymond prune --all also deletes runs that can be resumed, and cannot ask for confirmation: standard input or standard error is not a terminal.",
    hint: "Nothing was deleted. Confirm with --yes, or list the runs with --dry-run.",
  }),
  "cli/not-in-fleet": (command: string, instead: string) => ({
    message: `raymond ${command} does not support runs of a fleet.`,
    hint: `${instead} To use a run of this project, add --no-fleet.`,
  }),
  "cli/no-answer-given": (run: string | null) => ({
    message: run === null ? "No answer was given." : `"${run}" is a run, and no answer follows it.`,
    hint: `Use: raymond answer ${run ?? "[RUN]"} TEXT, or - as TEXT to read standard input.`,
  }),
  "cli/no-result-given": () => ({
    message: "No result was given.",
    hint: "Add --result TEXT, --result-file FILE, or --result-file - to read standard input.",
  }),
  "cli/unreadable-result": (file: string, cause: unknown) => ({
    message: `Cannot read ${file}: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hint: "Give the path of a readable file, or - for standard input.",
    cause,
  }),
  "cli/no-current-folder": (cause: unknown) => ({
    message: "The current folder no longer exists.",
    hint: "Change to an existing folder and run raymond again.",
    cause,
  }),
  "cli/answer-lost": (reason: string) => ({
    message: `Cannot write to standard output: ${reason}.`,
    hint: "Redirect the output to a file system with free space.",
  }),
  "cli/no-summary-file": () => ({
    message: "Cannot add to the job summary: GITHUB_STEP_SUMMARY is not set.",
    hint: "GitHub sets it for the steps of a job. Elsewhere, use --output FILE.",
  }),

  // A word where a workflow belongs
  "workflow/not-found": (word: string, kind: "command" | RunWord, meant = "") =>
    kind === "command" ? unknownCommand(word, meant) : runInsteadOfWorkflow(word, kind),
  "workflow/not-a-workflow": (word: string) => ({
    message: `"${word}" is not a workflow. It may be the state file of a run.`,
    hint: runHint(word),
  }),
});

/** Why a word looks like a run: a run has this name, the name has the form of a run ID, or it is a missing `.json` file. */
export type RunWord = "run" | "like-a-run" | "missing-file";

function usage(message: string, hint: string): ErrorText {
  return { message, hint };
}

/** `meant`: a command, or an option such as `--init-config`. */
function unknownCommand(word: string, meant: string): ErrorText {
  return {
    message: `"${word}" is neither a command nor a workflow here.`,
    hint: `Did you mean: raymond ${meant}? All commands: raymond help all`,
  };
}

function runInsteadOfWorkflow(word: string, kind: RunWord): ErrorText {
  if (kind === "missing-file") {
    return {
      message: `File ${word} not found. A workflow is a folder, a zip archive, a .yaml file or a state file.`,
      hint: "To list runs: `raymond list`. To continue a run: `raymond resume RUN`.",
    };
  }
  const reason = kind === "run" ? "It is the name of a run." : "It looks like the ID of a run.";
  return { message: `Workflow "${word}" not found. ${reason}`, hint: runHint(word) };
}

function runHint(word: string): string {
  const run = shellWord(word);
  return `To continue the run: \`raymond resume ${run}\`. To show its status: \`raymond status ${run}\`.`;
}
