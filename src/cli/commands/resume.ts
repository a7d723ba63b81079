import { parseDollars } from "../../config/flags.ts";
import { resume } from "../../runs/resume.ts";
import { attend } from "../attend.ts";
import { settingsOf } from "../run-flags.ts";
import { type RunOptions, refuseMisplaced } from "../run-options.ts";
import type { Shell } from "../shell.ts";

/** `raymond --resume ID`: goes on with a run, with its own settings but for the flags that are given. Returns the exit code. */
export async function resumeCommand(
  run: string,
  options: RunOptions,
  shell: Shell,
): Promise<number> {
  refuseMisplaced(options, "resume");
  const { stateDir, lostSession, takeOver, addBudget } = options;
  const wanted = {
    run,
    stateDir,
    settings: settingsOf(options),
    addBudgetMicroUsd:
      addBudget === undefined ? undefined : parseDollars("--add-budget", addBudget),
    lostSession,
    takeOver,
  };
  return attend((driving) => resume({ ...wanted, ...driving }, shell), options, shell);
}
