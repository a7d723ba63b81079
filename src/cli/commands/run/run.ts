import type { Command } from "commander";
import { start } from "../../../run/start.ts";
import { attend } from "../../attend.ts";
import { detachCommand } from "../../detached.ts";
import { notEmpty, WORKFLOW_HELP } from "../../parse/options.ts";
import {
  addRunOptions,
  type RunOptions,
  refuseMisplaced,
  settingsOf,
  variablesOf,
} from "../../parse/run-options.ts";
import { refuseRun } from "../../parse/unknown-command.ts";
import type { Shell } from "../../shell.ts";

export function define(command: Command, shell: Shell): void {
  addRunOptions(command, "start")
    .argument("<workflow>", WORKFLOW_HELP, notEmpty)
    .action(async (workflow: string, options: RunOptions) => {
      shell.exit(await runCommand(workflow, options, shell));
    });
}

/** Returns the exit code of the run. */
export async function runCommand(
  workflow: string,
  options: RunOptions,
  shell: Shell,
): Promise<number> {
  refuseMisplaced(options, "start");
  const { detachedChild } = shell;
  if (options.detach === true && detachedChild === null) return detachCommand(options, shell);
  const { stateDir, input, runId: id = detachedChild?.id, start: first, simulate } = options;
  const wanted = {
    workflow,
    stateDir,
    settings: settingsOf(options),
    attributes: variablesOf(options),
    input: input === "-" ? () => shell.readStdin() : input,
    id,
    start: first,
    simulate,
    trustProject: options.trustProject,
    worktree: options.worktree,
  };
  await refuseRun(workflow, options, shell);
  return attend((driving) => start({ ...wanted, ...driving }, shell), options, shell);
}
