import { parseDollars } from "../../config/flags.ts";
import type { ResumeInFleet } from "../../fleet/resume.ts";
import { submittedJson } from "../../runs/json/report-json.ts";
import { resume } from "../../runs/resume.ts";
import { askTrust } from "../ask-trust.ts";
import { attend } from "../attend.ts";
import { detachCommand } from "../detached.ts";
import { EXIT } from "../exit-codes.ts";
import { heldWords } from "../held-words.ts";
import { isFleetMeant, openFleetOf, type WhichRuns } from "../in-fleet.ts";
import { resumeDue } from "../resume-due.ts";
import { settingsOf } from "../run-flags.ts";
import { type RunOptions, refuseMisplaced } from "../run-options.ts";
import type { Shell } from "../shell.ts";

/** `raymond --resume ID`: goes on with a run, with its own settings but for the flags that are given. Returns the exit code. */
export async function resumeCommand(
  run: string,
  { due, ...options }: RunOptions & WhichRuns & { readonly due?: boolean },
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
  // It is in the background there.
  if (isFleetMeant(options, shell)) return resumeThere(wanted, options.json === true, shell);
  if (options.detach === true && shell.onItsOwn === null) {
    return detachCommand({ ...options, run }, shell);
  }
  return attend(
    (driving) => askTrust(shell, () => resume({ ...wanted, ...driving }, shell)),
    options,
    shell,
  );
}

/** A worker of the fleet goes on with it, and not this process. */
async function resumeThere(wanted: ResumeInFleet, json: boolean, shell: Shell): Promise<number> {
  const { resumeInFleet } = await import("../../fleet/resume.ts");
  const fleet = await openFleetOf(shell);
  try {
    const run = await resumeInFleet(wanted, fleet, shell);
    const heldUp = (await fleet.store.remote?.heldUp(run)) ?? [];
    for (const line of heldWords(run, heldUp)) shell.err.line(line);
    shell.out.line(json ? JSON.stringify(submittedJson(run, heldUp)) : run);
    return EXIT.completed;
  } finally {
    await fleet.close();
  }
}
