import type { Command } from "commander";
import {
  isStepRange,
  type RunDiff,
  runDiff,
  runDiffText,
  showRunDiff,
} from "../../../inspect/files/run-diff.ts";
import type { Wanted } from "../../../wire/stores.ts";
import { printJson } from "../../output.ts";
import { action, JSON_OBJECT, localRunSelection, RUN_HELP } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { refuseFleet, type WhichRuns } from "../fleet/in-fleet.ts";

export function define(command: Command, shell: Shell): void {
  command
    .argument("[run]", RUN_HELP, "latest")
    .argument("[steps]", "Step such as 4, or range such as 4..9 (default: the whole run)")
    .option("--stat", "Only the changed files and numbers of lines")
    .option(...JSON_OBJECT);
  localRunSelection(command).action(
    action(shell, (options: DiffCommandOptions & WhichRuns) => {
      refuseFleet("diff", NOT_IN_FLEET, options, shell);
      return diffCommand(options, shell);
    }),
  );
}

const NOT_IN_FLEET =
  "Its files are at the remote of its repository. raymond status RUN shows the git command that fetches them.";

interface DiffCommandOptions extends Wanted {
  readonly steps?: string;
  readonly stat?: true;
  readonly json?: true;
}

/** Returns the exit code of git, if it shows the diff. */
export async function diffCommand(
  given: DiffCommandOptions,
  shell: Shell,
): Promise<number | undefined> {
  const { json, ...options } = withSteps(given);
  if (json === true) {
    printJson(shell.out, diffJson(await runDiff(options, shell)));
    return undefined;
  }
  const { foreground } = shell;
  if (foreground !== null) {
    const { exitCode } = await showRunDiff(options, foreground, shell);
    // A pager that was closed early ends git by a signal.
    return exitCode ?? 0;
  }
  const text = await runDiffText(options, shell);
  if (text !== "") shell.out.write(`${text}\n`);
  return undefined;
}

/** A single argument that names steps is not the name of a run. */
function withSteps(given: DiffCommandOptions): DiffCommandOptions {
  const { run, steps } = given;
  if (steps !== undefined || !isStepRange(run)) return given;
  return { ...given, run: "latest", steps: run };
}

function diffJson({ run, from, to, steps, files }: RunDiff): object {
  return {
    workflow_id: run,
    from,
    to,
    steps: steps.map(({ step }) => step),
    files,
  };
}
