import { start } from "../../runs/start.ts";
import { askTrust } from "../ask-trust.ts";
import { attend } from "../attend.ts";
import { detachCommand } from "../detached.ts";
import { refuseRun } from "../mistaken-run.ts";
import { settingsOf, variablesOf } from "../run-flags.ts";
import { type RunOptions, refuseMisplaced } from "../run-options.ts";
import type { Shell } from "../shell.ts";

/** `raymond WORKFLOW`: starts a run, and drives it to its end. Returns the exit code. */
export async function runCommand(
  workflow: string,
  options: RunOptions,
  shell: Shell,
): Promise<number> {
  refuseMisplaced(options, "start");
  const { onItsOwn } = shell;
  if (options.detach === true && onItsOwn === null) return detachCommand(options, shell);
  const { stateDir, input, workflowId: id = onItsOwn?.id, start: first, simulate } = options;
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
  };
  await refuseRun(workflow, options, shell);
  return attend(
    (driving) => askTrust(shell, () => start({ ...wanted, ...driving }, shell)),
    options,
    shell,
  );
}
