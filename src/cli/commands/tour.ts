import path from "node:path";
import { packageFolder } from "../../launch/package-folder.ts";
import { shellWord } from "../../observers/shell-word.ts";
import { startPassing } from "../../runs/start-passing.ts";
import { isFolder } from "../../runs/wire/system.ts";
import { attend } from "../attend.ts";
import { EXIT } from "../exit-codes.ts";
import type { Shell } from "../shell.ts";
import { outliveSignals } from "../signals.ts";

interface TourOptions {
  readonly quiet?: true;
  readonly verbose?: true;
}

/**
 * `raymond tour`: runs the tour that ships, simulated, in a folder that is taken
 * away afterwards, so that it works anywhere and leaves nothing. Says before
 * what there will be to see, and after it what to do next. Returns the exit code.
 */
export async function tourCommand(options: TourOptions, shell: Shell): Promise<number> {
  const shipped = packageFolder();
  const tour = path.join(shipped, "workflows", "tour");
  const talks = options.quiet !== true;
  if (talks) shell.err.write(beforeTour(tour));
  if (isFolder(path.join(shell.cwd, "tour"))) {
    shell.err.line("This is the tour that ships. The folder tour here is run by: raymond ./tour\n");
  }
  outliveSignals(process);
  const code = await attend(
    (driving) => startPassing({ workflow: tour, simulate: true, ...driving }, shell),
    options,
    shell,
    "passing",
  );
  if (code === EXIT.completed) {
    if (talks) shell.err.write(afterTour(shipped));
  } else {
    shell.err.line("The tour has not come to its end. Nothing is left of it.");
  }
  return code;
}

function beforeTour(tour: string): string {
  return `The tour is a small workflow in which every tag occurs: fifteen prompts and scripts, three agents, a few seconds.
It is simulated: the scripts run, the prompts are answered from a file; no model is called, nothing is paid.

What you will see:
  09:15:02 main  WELCOME.md       at this time the agent "main" enters the state WELCOME.md
    → goto REMEMBER.md            where its answer leads: goto, reset, call, function, fork, join or result
    $0.0100, total $0.0100        what it would have cost
  main_postma1                    from a fork on, each line says whose it is
and at the end the result of the run. Its states are files to read: ${tour}

`;
}

function afterTour(shipped: string): string {
  const word = (...parts: readonly string[]) => shellWord(path.join(shipped, ...parts));
  return `
All that the tour has written is gone again. Next:
  raymond doctor      whether claude is installed and logged in, and all else that a run needs
  raymond ${word("workflows", "tour")} --budget 1
                      the same with a real model, in this folder
  ${word("workflows", "README.md")}
                      workflows to copy and change
  ${word("docs", "authoring.md")}
                      how to write one
`;
}
