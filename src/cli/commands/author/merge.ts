import type { Command } from "commander";
import { printable } from "../../../log/printable.ts";
import { type MergeOptions, merge } from "../../../run/merge.ts";
import { action, examples } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { cliErrors } from "../../words/errors.ts";
import { EXIT, type ExitCode } from "../../words/exit-codes.ts";

export function define(command: Command, shell: Shell): void {
  command
    .argument("[branches...]", "Branches to merge into the current one")
    .option("--joined", "Merge the branches of joined agents (in a script state)")
    .option("--commit-changes", "Commit the changed files of the folder first")
    .option("--continue", "Continue after a conflict was resolved in the files")
    .option("--json", "Print the result as JSON")
    .addHelpText(
      "after",
      examples(
        ["raymond merge raymond/login raymond/search", "One after the other"],
        ["raymond merge --joined --commit-changes", "In the script that a join enters"],
        ["raymond merge --continue", "After RESOLVE has edited the files"],
      ),
    )
    .action(action(shell, mergeCommand));
}

interface MergeCommandOptions extends Omit<MergeOptions, "commit"> {
  readonly commitChanges?: true;
  readonly json?: true;
}

async function mergeCommand(
  { json, commitChanges, ...options }: MergeCommandOptions,
  shell: Shell,
): Promise<ExitCode> {
  const commit = commitChanges === true;
  const { branches, joined = false } = options;
  const isNew = branches.length > 0 || joined;
  if (options.continue === true ? isNew || commit : !isNew) throw cliErrors["cli/bad-merge"]();
  const { merged, conflict } = await merge({ ...options, commit }, shell);
  if (json === true) shell.out.line(JSON.stringify({ merged, conflict }));
  else {
    for (const branch of merged) shell.err.line(printable(`merged ${branch}`));
    if (conflict !== null) {
      shell.err.line(printable(`conflict with ${conflict.branch} in:`));
      // Not to standard output: a model chose the names, and a script prints tags there.
      for (const file of conflict.files) shell.err.line(printable(`  ${file}`));
    }
  }
  return conflict === null ? EXIT.completed : EXIT.failed;
}
