import type { Command } from "commander";
import { authorErrors } from "../../../author/errors.ts";
import { writeNewState } from "../../../author/new-state.ts";
import { schemasFolder } from "../../../launch/package-folder.ts";
import { printJson } from "../../output.ts";
import { action, JSON_OBJECT } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { pathFrom } from "../../words/words.ts";

export function define(command: Command, shell: Shell): void {
  command
    .argument("<what>", "What to create: state")
    .argument("<name>", "Name of the state: NAME or NAME.md (prompt), NAME.sh, NAME.bat (script)")
    .option("--to <state...>", "Next states, by goto (default: the state gives a result)")
    .option("--in <folder>", "Folder of the workflow (default: current folder)")
    .option(...JSON_OBJECT)
    .action(action(shell, newCommand));
}

interface NewOptions {
  readonly what: string;
  readonly name: string;
  readonly to?: readonly string[];
  readonly in?: string;
  readonly json?: true;
}

async function newCommand(options: NewOptions, shell: Shell): Promise<void> {
  if (options.what !== "state") throw authorErrors["workflow/unknown-kind"](options.what);
  const { name, to: targets = [], in: folder = "." } = options;
  const done = await writeNewState({ name, folder, targets }, schemasFolder(), shell);
  if (options.json === true) {
    printJson(shell.out, done);
    return;
  }
  shell.out.line(`Wrote ${pathFrom(shell.cwd, done.file)}. Describe the task in it.`);
  for (const target of done.missing) {
    shell.out.line(
      `State ${target} does not exist yet. Create it with: raymond new state ${target}`,
    );
  }
}
