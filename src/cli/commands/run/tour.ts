import path from "node:path";
import type { Command } from "commander";
import { shellWord } from "../../../console/shell-word.ts";
import { packageFolder } from "../../../launch/package-folder.ts";
import { startTemporary } from "../../../run/start-temporary.ts";
import { isFolder } from "../../../wire/system/system.ts";
import { attend } from "../../attend.ts";
import { action } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { outliveSignals } from "../../signals.ts";
import { EXIT } from "../../words/exit-codes.ts";

export function define(command: Command, shell: Shell): void {
  command
    .option("--quiet", "Print only the result")
    .option("--verbose", "Print everything")
    .action(action(shell, tourCommand));
}

interface TourOptions {
  readonly quiet?: true;
  readonly verbose?: true;
}

/** Runs the packaged tour, simulated, in a temporary folder. Returns the exit code of the run. */
async function tourCommand(options: TourOptions, shell: Shell): Promise<number> {
  const shipped = packageFolder();
  const tour = path.join(shipped, "workflows", "tour");
  const talks = options.quiet !== true;
  if (talks) shell.err.write(beforeTour(tour));
  if (isFolder(path.join(shell.cwd, "tour"))) {
    shell.err.line("This is the packaged tour. To run the folder tour here: raymond ./tour\n");
  }
  outliveSignals(process);
  const code = await attend(
    (driving) => startTemporary({ workflow: tour, simulate: true, ...driving }, shell),
    options,
    shell,
    false,
  );
  if (code === EXIT.completed) {
    if (talks) shell.err.write(afterTour(shipped));
  } else {
    shell.err.line("The tour did not finish. Its files were deleted.");
  }
  return code;
}

function beforeTour(tour: string): string {
  return `The tour is a small workflow with every tag: fifteen prompts and scripts, three agents, a few seconds.
It is simulated: scripts run, prompts are answered from a file, no model is called.

What you will see:
  09:15:02 main  WELCOME.md       time, agent and state
    → goto REMEMBER.md            transition: goto, reset, call, function, fork, join or result
    $0.0100, total $0.0100        cost, if it were not simulated
  main_postma1                    agent, after the first fork
The last line is the result of the run. Read its states in ${tour}

`;
}

function afterTour(shipped: string): string {
  const word = (...parts: readonly string[]) => shellWord(path.join(shipped, ...parts));
  return `
The files of the tour are deleted. Next:
  raymond doctor      check the environment, such as the login of claude
  raymond ${word("workflows", "tour")} --budget 1
                      run it with a real model, in this folder
  ${word("workflows", "README.md")}
                      more sample workflows
  ${word("docs", "authoring.md")}
                      how to write workflows
`;
}
