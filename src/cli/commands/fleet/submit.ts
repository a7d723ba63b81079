import type { Command } from "commander";
import { parseDurationFlag } from "../../../config/flags.ts";
import type { Blocker } from "../../../engine/ports/store.ts";
import { fleetUrl } from "../../../fleet/admin/fleet.ts";
import { fetchCommand } from "../../../fleet/git/refs.ts";
import type { SubmitOptions } from "../../../fleet/queue/submit.ts";
import { submittedJson } from "../../../inspect/json/report-json.ts";
import { printable } from "../../../log/printable.ts";
import type { RunId } from "../../../machine/run-state.ts";
import { FLEET_VARIABLE } from "../../../wire/fleet-variable.ts";
import { beginTime } from "../../parse/begin-time.ts";
import { examples, FLEET_URL, notEmpty, WORKFLOW_HELP } from "../../parse/options.ts";
import {
  addRunOptions,
  type RunOptions,
  refuseMisplaced,
  settingsOf,
  variablesOf,
} from "../../parse/run-options.ts";
import type { Shell } from "../../shell.ts";
import { EXIT, type ExitCode } from "../../words/exit-codes.ts";
import { heldWords } from "../../words/words.ts";
import { sessionsOf } from "./sessions-flag.ts";
import { type WorkspaceFlags, workspaceBy } from "./submit-workspace.ts";

export function define(command: Command, shell: Shell): void {
  addRunOptions(command, "submit")
    .argument("<workflow>", WORKFLOW_HELP, notEmpty)
    .optionsGroup("Placement:")
    .option("--pool <pool>", "Pool of workers (default: default)")
    .option("--account <account>", "Account that pays for prompts (default: that of the worker)")
    .option("--machine <machine>", "Run only on this machine")
    .addOption(
      command
        .createOption("--workspace <kind>", "Working folder (default: local)")
        .choices(["local", "shared", "git"]),
    )
    .option("--folder <dir>", "Folder to work in (default: a new one; shared, git: this one)")
    .option("--repository <url>", "With git: repository to clone (default: origin of this one)")
    .option("--commit <rev>", "With git: commit to start from (default: HEAD)")
    .option("--sessions <where>", "Store of conversations: home, pg or dir:PATH (default: home)")
    .option(
      "--failover-after <duration>",
      "Move the run if its machine is gone for DURATION (default: 2m)",
    )
    .option("--at <time>", "Start at TIME, or after DURATION")
    .option("--every <cron>", 'Create a schedule, e.g. "0 3 * * *" or @hourly')
    .option("--time-zone <zone>", "Time zone of --every, e.g. Europe/Berlin (default: UTC)")
    .option("-f, --follow", "Show the run until it ends, and exit with its exit code")
    .option(...FLEET_URL)
    .addHelpText(
      "after",
      examples(
        ["raymond submit workflows/ralph --budget 5", "Run on any worker of the default pool"],
        ["raymond submit workflows/ralph --follow", "Show the run until it ends"],
        ["raymond submit workflows/ralph --at 2h", "Start in two hours"],
        ['raymond submit workflows/nightly --every "0 3 * * 1-5"', "At 3 from Monday to Friday"],
        ["raymond submit workflows/ralph --workspace git", "In a clone of this repository"],
      ),
    )
    .action(async (workflow: string, options: SubmitCommandOptions) => {
      shell.exit(await submitCommand(workflow, options, shell));
    });
}

interface SubmitCommandOptions extends RunOptions, WorkspaceFlags {
  readonly pool?: string;
  readonly account?: string;
  readonly machine?: string;
  readonly sessions?: string;
  readonly failoverAfter?: string;
  readonly at?: string;
  readonly every?: string;
  readonly timeZone?: string;
  readonly follow?: true;
  readonly url?: string;
}

/** Prints the ID of the run. With `--follow`, returns the exit code of the run. */
async function submitCommand(
  workflow: string,
  options: SubmitCommandOptions,
  shell: Shell,
): Promise<ExitCode> {
  if (options.every !== undefined || options.timeZone !== undefined) {
    const { scheduleRuns } = await import("./schedule-runs.ts");
    return scheduleRuns(options, () => wantedRun(workflow, options, shell), shell);
  }
  const { run, heldUp } = await submitRun(workflow, options, shell);
  for (const line of heldWords(run, heldUp)) shell.err.line(line);
  if (options.url !== undefined && options.url !== shell.env[FLEET_VARIABLE]) {
    shell.err.line(`To find ${run} with other commands, set ${FLEET_VARIABLE} to that URL.`);
  }
  if (options.follow === true) {
    const { followRun } = await import("./follow-run.ts");
    return followRun(run, options, shell);
  }
  shell.out.line(options.json === true ? JSON.stringify(submittedJson(run, heldUp)) : run);
  return EXIT.completed;
}

/** A queued run, and why it does not start, if that is known. */
interface SubmittedRun {
  readonly run: RunId;
  readonly heldUp: readonly Blocker[];
}

async function submitRun(
  workflow: string,
  options: SubmitCommandOptions,
  shell: Shell,
): Promise<SubmittedRun> {
  refuseMisplaced(options, "submit");
  const { at } = options;
  const startsAt = at === undefined ? undefined : beginTime(at, shell.now());
  const { openFleetRuns } = await import("../../../fleet/admin/open.ts");
  const { submit } = await import("../../../fleet/queue/submit.ts");
  const fleet = await openFleetRuns(fleetUrl(options, shell), shell);
  try {
    const wanted = await wantedRun(workflow, options, shell);
    const run = await submit({ ...wanted, at: startsAt }, fleet, shell);
    const { workspace } = wanted.placement;
    if (workspace.kind === "git") {
      shell.err.line(printable(`Its files: ${fetchCommand(run, workspace.repository)}`));
    }
    return { run, heldUp: await fleet.store.queue.waitReasons(run) };
  } finally {
    await fleet.close();
  }
}

async function wantedRun(
  workflow: string,
  options: SubmitCommandOptions,
  shell: Shell,
): Promise<Omit<SubmitOptions, "at">> {
  const warn = (message: string) => {
    shell.err.line(`${shell.style.warning("warning:")} ${printable(message)}`);
  };
  const { DEFAULT_PLACEMENT: usual } = await import("../../../fleet/queue/submit.ts");
  const { input, runId: id, start, simulate, stateDir, trustProject, failoverAfter } = options;
  return {
    ...{ workflow, id, start, simulate, stateDir, trustProject },
    settings: settingsOf(options),
    attributes: variablesOf(options),
    input: input === "-" ? () => shell.readStdin() : input,
    placement: {
      pool: options.pool ?? usual.pool,
      account: options.account ?? usual.account,
      pinned: options.machine ?? usual.pinned,
      workspace: await workspaceBy(options, shell, warn),
      sessions: sessionsOf(options, shell),
      failoverAfterMs:
        failoverAfter === undefined
          ? usual.failoverAfterMs
          : parseDurationFlag("--failover-after", failoverAfter),
    },
    warn,
  };
}
