import type { Command } from "commander";
import { parseCount } from "../../../config/flags.ts";
import { fileWords } from "../../../console/format/format-changes.ts";
import { shellWord } from "../../../console/shell-word.ts";
import { counted } from "../../../language/basics/counted.ts";
import { printable } from "../../../log/printable.ts";
import { type PlannedRestore, restore } from "../../../run/restore.ts";
import { workspaceRunErrors } from "../../../run/workspace-errors.ts";
import type { Wanted } from "../../../wire/stores.ts";
import { action, localRunSelection, RUN_HELP } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { confirm as confirmed } from "../../tty.ts";
import { refuseFleet, type WhichRuns } from "../fleet/in-fleet.ts";

export function define(command: Command, shell: Shell): void {
  command
    .argument("<run>", RUN_HELP)
    .argument("<step>", "Number of the step")
    .option("--before-step", "Restore the files before the step instead of those after it")
    .option("--all-files", "Also restore files that no step of the run changed")
    .option("-y, --yes", "Do not ask for confirmation");
  localRunSelection(command).action(
    action(shell, (options: RestoreCommandOptions & WhichRuns) => {
      refuseFleet("restore", NOT_IN_FLEET, options, shell);
      return restoreCommand(options, shell);
    }),
  );
}

const NOT_IN_FLEET =
  "Its files are at the remote of its repository. raymond status RUN shows the git command that fetches them.";

interface RestoreCommandOptions extends Wanted {
  readonly step: string;
  readonly beforeStep?: true;
  readonly allFiles?: true;
  readonly yes?: true;
}

export async function restoreCommand(
  { step, yes, beforeStep: before, ...options }: RestoreCommandOptions,
  shell: Shell,
): Promise<void> {
  const { ask } = shell;
  const confirm = async (planned: PlannedRestore): Promise<boolean> => {
    for (const line of planWords(planned)) shell.err.line(printable(line));
    if (yes === true) return true;
    if (ask === null) throw workspaceRunErrors["run/restore-unconfirmed"](planned.changes.length);
    return confirmed(ask, "Replace these files?");
  };
  const number = parseCount("STEP", step);
  const done = await restore({ ...options, step: number, before, confirm }, shell);
  if (done === null) {
    shell.err.line("No file was changed.");
    return;
  }
  for (const line of doneWords(done)) shell.err.line(printable(line));
}

function doneWords(done: PlannedRestore): readonly string[] {
  const { changes, others, saved, folder } = done;
  const files = counted(changes.length, "file");
  return [
    changes.length === 0
      ? `The files in ${folder} are already those of the step.`
      : `Restored ${files} in ${folder}. The files from before are in ${saved}.`,
    ...(others === 0
      ? []
      : [
          `Not restored, because no step of the run changed them: ${counted(others, "file")}. To restore them too, add --all-files.`,
        ]),
    ...(changes.length === 0 ? [] : [`To undo it: ${undoCommand(done)}`]),
  ];
}

/** The command that gets back the files from before a restore. */
function undoCommand({ changes, saved, folder }: PlannedRestore): string {
  const added = changes.flatMap(({ kind, file }) => (kind === "added" ? [file] : []));
  const replaced = changes.flatMap(({ kind, file }) => (kind === "added" ? [] : [file]));
  const words = (names: readonly string[]) => names.map((name) => shellWord(name)).join(" ");
  const paths = replaced.length > MOST_FILES ? ":/" : words(replaced);
  return [
    `cd ${shellWord(folder)}`,
    ...(replaced.length === 0 ? [] : [`git restore --source=${saved} -- ${paths}`]),
    ...(added.length === 0 ? [] : [`rm -f -- ${words(added)}`]),
  ].join(" && ");
}

function planWords({ changes, folder }: PlannedRestore): readonly string[] {
  const shown = changes.slice(0, MOST_FILES);
  const left = changes.length - shown.length;
  return [
    `The restore changes ${counted(changes.length, "file")} in ${folder}:`,
    ...shown.map((change) => `  ${fileWords(change)}`),
    ...(left === 0 ? [] : [`  … and ${counted(left, "more file")}`]),
  ];
}

const MOST_FILES = 50;
