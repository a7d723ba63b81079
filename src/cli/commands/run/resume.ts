import path from "node:path";
import type { Command } from "commander";
import { parseDollars } from "../../../config/flags.ts";
import type { FleetResumeOptions } from "../../../fleet/worker/resume.ts";
import { submittedJson } from "../../../inspect/json/report-json.ts";
import { packageProgram } from "../../../launch/package-folder.ts";
import { detach } from "../../../run/control/detach.ts";
import { dueRuns, stoppedRuns } from "../../../run/due.ts";
import { resume } from "../../../run/resume.ts";
import { pinRun, type Wanted } from "../../../wire/stores.ts";
import { attend } from "../../attend.ts";
import { detachCommand } from "../../detached.ts";
import { RUN_HELP } from "../../parse/options.ts";
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
  const runs = command.argument("[run...]", `${RUN_HELP} (default: latest)`);
  addRunOptions(runs, "resume")
    .option("--due", "Resume crashed runs, and runs whose wait is over, in the background")
    .option("--all", "Resume all unfinished runs that no process drives, in the background")
    .option("--fleet", "Resume a run of the fleet that RAYMOND_FLEET names (default if it is set)")
    .option("--no-fleet", "Resume a run of this project")
    .action(async (runs: readonly string[], { due, all, ...options }: Several) => {
      refuseMisplaced(options, "resume");
      const one = due !== true && all !== true && runs.length < 2;
      const code = one
        ? await resumeCommand(runs[0] ?? "latest", options, shell)
        : await resumeSeveral(runs, { due, all, ...options }, shell);
      shell.exit(code);
    });
}

type ResumeOptions = RunOptions & WhichRuns;
type Several = ResumeOptions & { readonly due?: true | undefined; readonly all?: true | undefined };

/** Returns the exit code of the run. */
export async function resumeCommand(
  run: string,
  options: ResumeOptions,
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
 * Resumes several runs, each in a background process. Returns 1 if a run could not be resumed. With
 * `--due`, each process exits at the next wait.
 */
async function resumeSeveral(
  named: readonly string[],
  options: Several,
  shell: Shell,
): Promise<ExitCode> {
  const flag = refuseWithSeveral(named, options, shell);
  const { json, due } = options;
  const park = due === true ? ["--park"] : [];
  let failed = false;
  for (const { run, stateDir } of await selectedRuns(named, options, shell)) {
    const place = stateDir === undefined ? [] : ["--state-dir", stateDir];
    const command = [...packageProgram(), "resume", run, ...park, "--no-input", ...place];
    const started = await detach({ run, stateDir, command, input: null }, shell);
    shell.err.write(started.said);
    if (started.outcome === "refused") {
      // Another process was faster: it resumes the run.
      failed ||= flag === null || started.code !== EXIT.locked;
    } else if (json === true) {
      const { id, pid, output } = started;
      shell.out.line(JSON.stringify({ workflow_id: id, pid, output }));
    } else shell.out.line(`${run} is resumed by process ${String(started.pid)}.`);
  }
  return failed ? EXIT.failed : EXIT.completed;
}

async function selectedRuns(
  named: readonly string[],
  { due: isDue, all, stateDir, json }: Several,
  shell: Shell,
): Promise<readonly Wanted[]> {
  if (isDue !== true && all !== true) {
    const found = new Map<string, Wanted>();
    for (const run of named) {
      const pinned = await pinRun({ run, stateDir }, shell);
      found.set(path.join(pinned.root, pinned.id), pinned.named);
    }
    return [...found.values()];
  }
  const ids =
    all === true ? await stoppedRuns({ stateDir }, shell) : await due(stateDir, json, shell);
  if (all === true && ids.length === 0 && json !== true) {
    shell.err.line("This project has no unfinished runs.");
  }
  return ids.map((run) => ({ run, stateDir }));
}

/** The runs that are due. Prints why others are not. */
async function due(
  stateDir: string | undefined,
  json: boolean | undefined,
  { err, ...caller }: Shell,
): Promise<readonly string[]> {
  const { due: ids, others } = await dueRuns({ stateDir }, caller);
  if (json === true) return ids;
  if (ids.length === 0) err.line("No run of this project is due.");
  for (const { id, reason, next } of others.slice(0, SHOWN)) {
    err.line(`${id} is not due: ${reason}${next === null ? "" : ` Resume it with: ${next}`}`);
  }
  const more = others.length - SHOWN;
  if (more > 0) err.line(`${String(more)} more are not due. List them with: raymond list --all`);
  return ids;
}

/** Number of runs that are not due to print. */
const SHOWN = 10;

const SUPPORTED: ReadonlySet<string> = new Set(["stateDir", "json", "fleet", "due", "all"]);

/** Returns the flag that selects the runs; null: they are named. */
function refuseWithSeveral(
  [first]: readonly string[],
  options: Several,
  shell: Shell,
): "--due" | "--all" | null {
  const { due, all } = options;
  if (due === true && all === true) {
    throw cliErrors["cli/flag-conflict"](
      "--due and --all cannot be combined.",
      "Omit one of them.",
    );
  }
  const flag = due === true ? "--due" : all === true ? "--all" : null;
  if (flag !== null && first !== undefined) {
    const hint = `Leave out ${flag} to resume ${first} alone.`;
    throw cliErrors["cli/flag-conflict"](`${flag} selects the runs, so it takes no RUN.`, hint);
  }
  const what = flag ?? "Several runs";
  if (isFleetMeant(options, shell)) {
    const hint = flag === null ? "Resume each run by its own command." : WORKERS_RESUME;
    throw cliErrors["cli/flag-conflict"](`${what} cannot be used with a fleet.`, hint);
  }
  const other = Object.keys(options).find((name) => !SUPPORTED.has(name));
  if (other === undefined) return flag;
  const option = `--${other.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const hint = "Each run is resumed with its own settings. Resume a single run to change them.";
  throw cliErrors["cli/flag-conflict"](`${what} and ${option} cannot be combined.`, hint);
}

const WORKERS_RESUME = "A worker of the fleet resumes its runs automatically.";
