import type { Command } from "commander";
import { parseDollars } from "../../../config/flags.ts";
import type { FleetResumeOptions } from "../../../fleet/worker/resume.ts";
import { submittedJson } from "../../../inspect/json/report-json.ts";
import { packageProgram } from "../../../launch/package-folder.ts";
import { detach } from "../../../run/control/detach.ts";
import { dueRuns } from "../../../run/due.ts";
import { resume } from "../../../run/resume.ts";
import { attend } from "../../attend.ts";
import { detachCommand } from "../../detached.ts";
import { runArgument } from "../../parse/options.ts";
import {
  addRunOptions,
  type RunOptions,
  refuseMisplaced,
  settingsOf,
} from "../../parse/run-options.ts";
import type { Shell } from "../../shell.ts";
import { cliErrors } from "../../words/errors.ts";
import { EXIT, type ExitCode } from "../../words/exit-codes.ts";
import { heldWords } from "../../words/words.ts";
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
  return attend((driving) => resume({ ...wanted, ...driving }, shell), options, shell);
}

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

/**
 * `raymond resume --due`: resumes every run whose wait is over, each in a background process that exits at the
 * next wait. Returns 1 if a run could not be resumed.
 */
async function resumeDue(named: string, options: ResumeOptions, shell: Shell): Promise<ExitCode> {
  refuseWithDue(named, options, shell);
  const { stateDir, json } = options;
  const place = stateDir === undefined ? [] : ["--state-dir", stateDir];
  const due = await dueRuns({ stateDir }, shell);
  if (due.length === 0 && json !== true) shell.err.line("No run of this project is due.");
  let failed = false;
  for (const run of due) {
    const command = [...packageProgram(), "resume", run, "--park", "--no-input", ...place];
    const started = await detach({ run, stateDir, command, input: null }, shell);
    shell.err.write(started.said);
    // Another process was faster: it resumes the run.
    if (started.outcome === "refused") failed ||= started.code !== EXIT.locked;
    else if (json === true) {
      const { id, pid, output } = started;
      shell.out.line(JSON.stringify({ workflow_id: id, pid, output }));
    } else shell.out.line(`${run} is resumed by process ${String(started.pid)}.`);
  }
  return failed ? EXIT.failed : EXIT.completed;
}

const SUPPORTED_WITH_DUE: ReadonlySet<string> = new Set(["stateDir", "json", "fleet"]);

function refuseWithDue(named: string, options: ResumeOptions, shell: Shell): void {
  if (named !== "latest") {
    const hint = `Leave out --due to resume ${named} alone.`;
    throw cliErrors["cli/flag-conflict"](
      "--due resumes all runs that are due, so it takes no RUN.",
      hint,
    );
  }
  if (isFleetMeant(options, shell)) {
    const hint = "A worker of the fleet resumes its runs automatically.";
    throw cliErrors["cli/flag-conflict"]("--due is not for runs of a fleet.", hint);
  }
  const other = Object.keys(options).find((name) => !SUPPORTED_WITH_DUE.has(name));
  if (other === undefined) return;
  const flag = other.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const hint = "Each run is resumed with its own settings. Resume a single run to change them.";
  throw cliErrors["cli/flag-conflict"](`--due and --${flag} cannot be combined.`, hint);
}
