import type { Command } from "commander";
import { parseDollars } from "../../../config/flags.ts";
import type { FleetResumeOptions } from "../../../fleet/worker/resume.ts";
import { submittedJson } from "../../../inspect/json/report-json.ts";
import { resume } from "../../../run/resume.ts";
import { askTrust } from "../../ask-trust.ts";
import { attend } from "../../attend.ts";
import { detachCommand } from "../../detached.ts";
import { runArgument } from "../../parse/options.ts";
import { settingsOf } from "../../parse/run-flags.ts";
import { addRunOptions, type RunOptions, refuseMisplaced } from "../../parse/run-options.ts";
import { resumeDue } from "../../resume-due.ts";
import type { Shell } from "../../shell.ts";
import { EXIT } from "../../words/exit-codes.ts";
import { heldWords } from "../../words/lock-words.ts";
import { isFleetMeant, openFleetOf, type WhichRuns } from "../fleet/in-fleet.ts";

export function define(command: Command, shell: Shell): void {
  addRunOptions(runArgument(command), "resume")
    .option("--due", "Resume all runs of this project whose wait is over, in the background")
    .option("--fleet", "Resume a run of the fleet that RAYMOND_FLEET names (default if it is set)")
    .option("--no-fleet", "Resume a run of this project")
    .action(async (run: string, options: ResumeOptions) => {
      shell.exit(await resumeCommand(run, options, shell));
    });
}

type ResumeOptions = RunOptions & WhichRuns & { readonly due?: boolean };

/** Returns the exit code of the run. */
export async function resumeCommand(
  run: string,
  { due, ...options }: ResumeOptions,
  shell: Shell,
): Promise<number> {
  refuseMisplaced(options, "resume");
  if (due === true) return resumeDue(run, options, shell);
  const { stateDir, lostSession, takeOver, addBudget } = options;
  const wanted = {
    run,
    stateDir,
    settings: settingsOf(options),
    addBudgetMicroUsd:
      addBudget === undefined ? undefined : parseDollars("--add-budget", addBudget),
    lostSession,
    takeOver,
    trustProject: options.trustProject,
  };
  // The fleet resumes it in the background anyway.
  if (isFleetMeant(options, shell)) return resumeThere(wanted, options.json === true, shell);
  if (options.detach === true && shell.detachedChild === null) {
    return detachCommand({ ...options, run }, shell);
  }
  return attend(
    (driving) => askTrust(shell, () => resume({ ...wanted, ...driving }, shell)),
    options,
    shell,
  );
}

/** A worker of the fleet resumes the run. */
async function resumeThere(
  wanted: FleetResumeOptions,
  json: boolean,
  shell: Shell,
): Promise<number> {
  const { resumeInFleet } = await import("../../../fleet/worker/resume.ts");
  const fleet = await openFleetOf(shell);
  try {
    const run = await resumeInFleet(wanted, fleet, shell);
    const heldUp = await fleet.store.queue.waitReasons(run);
    for (const line of heldWords(run, heldUp)) shell.err.line(line);
    shell.out.line(json ? JSON.stringify(submittedJson(run, heldUp)) : run);
    return EXIT.completed;
  } finally {
    await fleet.close();
  }
}
