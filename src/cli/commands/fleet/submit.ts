import path from "node:path";
import type { Command } from "commander";
import { BadFlagError } from "../../../config/errors.ts";
import { parseDurationFlag } from "../../../config/flags.ts";
import { localMoment, zoneName } from "../../../console/local-time.ts";
import { resolveWorkspace } from "../../../fleet/git/resolve-workspace.ts";
import { fetchCommand } from "../../../fleet/git/run-refs.ts";
import { schedule } from "../../../fleet/queue/schedules/schedules.ts";
import { DEFAULT_PLACEMENT, type SubmitOptions, submit } from "../../../fleet/queue/submit.ts";
import { submittedJson } from "../../../inspect/json/report-json.ts";
import { printable } from "../../../log/printable.ts";
import type { RunId } from "../../../machine/model/run-state.ts";
import { FLEET_VARIABLE } from "../../../wire/fleet-variable.ts";
import { gitBy } from "../../../workspaces/git.ts";
import { examples, FLEET_URL, notEmpty, WORKFLOW_HELP } from "../../parse/options.ts";
import {
  addRunOptions,
  type RunOptions,
  refuseMisplaced,
  settingsOf,
  variablesOf,
} from "../../parse/run-options.ts";
import type { Shell } from "../../shell.ts";
import { onceOnSignals, SIGNALS } from "../../signals.ts";
import { cliErrors } from "../../words/errors.ts";
import { EXIT, type ExitCode } from "../../words/exit-codes.ts";
import { heldWords } from "../../words/words.ts";
import { withFleet } from "./in-fleet.ts";

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

interface SubmitCommandOptions extends RunOptions, PlacementFlags {
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
  refuseMisplaced(options, "submit");
  const { at, every, timeZone } = options;
  if (every !== undefined || timeZone !== undefined) {
    return createSchedule(workflow, options, shell);
  }
  const startsAt = at === undefined ? undefined : beginTime(at, shell.now());
  const [run, heldUp] = await withFleet(options, shell, async (fleet) => {
    const wanted = await submission(workflow, options, shell);
    const id = await submit({ ...wanted, at: startsAt }, fleet, shell);
    const { workspace } = wanted.placement;
    if (workspace.kind === "git") {
      shell.err.line(printable(`Its files: ${fetchCommand(id, workspace.repository)}`));
    }
    return [id, await fleet.store.queue.waitReasons(id)] as const;
  });
  for (const line of heldWords(run, heldUp)) shell.err.line(line);
  if (options.url !== undefined && options.url !== shell.env[FLEET_VARIABLE]) {
    shell.err.line(`To find ${run} with other commands, set ${FLEET_VARIABLE} to that URL.`);
  }
  if (options.follow === true) return followRun(run, options, shell);
  shell.out.line(options.json === true ? JSON.stringify(submittedJson(run, heldUp)) : run);
  return EXIT.completed;
}

async function submission(
  workflow: string,
  options: SubmitCommandOptions,
  shell: Shell,
): Promise<Omit<SubmitOptions, "at">> {
  const warn = (message: string) => {
    shell.err.line(`${shell.style.warning("warning:")} ${printable(message)}`);
  };
  const { input, runId: id, start, simulate, stateDir, trustProject } = options;
  return {
    ...{ workflow, id, start, simulate, stateDir, trustProject },
    settings: settingsOf(options),
    attributes: variablesOf(options),
    input: input === "-" ? () => shell.readStdin() : input,
    placement: await placementOf(options, shell, warn),
    warn,
  };
}

async function createSchedule(
  workflow: string,
  options: SubmitCommandOptions,
  shell: Shell,
): Promise<ExitCode> {
  const { every, timeZone: zone = "UTC", at, follow } = options;
  if (every === undefined) {
    throw cliErrors["cli/flag-conflict"](
      "--time-zone is for --every.",
      "Write the time zone into the time of --at: 18:00+01:00",
    );
  }
  if (at !== undefined || follow === true) {
    throw cliErrors["cli/flag-conflict"](
      `--every and ${at === undefined ? "--follow" : "--at"} cannot be combined.`,
      "A schedule starts many runs. Use only one of them.",
    );
  }
  const { name, next } = await withFleet(options, shell, async (fleet) =>
    schedule({ ...(await submission(workflow, options, shell)), every, zone }, fleet, shell),
  );
  if (options.json === true) {
    shell.out.line(JSON.stringify({ schedule: name, next_at: next.toISOString() }));
  } else {
    shell.out.line(name);
    const first = localMoment(next.getTime(), shell.now());
    shell.err.line(`First run: ${first} (${zoneName(next.getTime())}).`);
  }
  return EXIT.completed;
}

/**
 * Shows a run until it ends, and returns its exit code. A signal ends the command, but not the run. While the
 * database is unavailable, the command waits for it.
 */
async function followRun(
  run: RunId,
  options: SubmitCommandOptions,
  shell: Shell,
): Promise<ExitCode> {
  const { watchRun } = await import("../inspect/attach.ts");
  if (options.quiet !== true) shell.err.line(`submitted ${run}`);
  const control = new AbortController();
  let code: ExitCode = EXIT.interrupted;
  const stopListening = onceOnSignals(SIGNALS, (signal) => {
    code = signal === "SIGINT" ? EXIT.interrupted : EXIT.terminated;
    control.abort();
  });
  const words = () =>
    `${run} continues in the fleet. Watch it with: raymond attach ${run}. Stop it with: raymond stop ${run}`;
  const leaving = { control, words, code: () => code };
  const watch = { ...options, live: run };
  return withFleet(
    options,
    shell,
    (fleet) => watchRun(watch, { ...shell, fleet }, leaving),
    true,
  ).finally(stopListening);
}

/**
 * The start time of `--at`, epoch ms: a time, or a duration from now. A time without a zone is local. Throws a
 * BadFlagError for any other text, and for a time in the past.
 */
export function beginTime(text: string, now: number): number {
  if (!DATE.test(text)) {
    try {
      return now + parseDurationFlag("--at", text);
    } catch {
      throw new BadFlagError("--at", text, EXPECTED);
    }
  }
  // `Date.parse` reads a date alone as midnight UTC.
  const moment = Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text);
  if (Number.isNaN(moment)) throw new BadFlagError("--at", text, EXPECTED);
  if (moment < now - LATE_MS) {
    throw new BadFlagError("--at", text, "a time in the future; without --at the run starts now");
  }
  return moment;
}

const DATE = /^\d{4}-/;
const EXPECTED = "a time such as 2026-11-22T18:00:00Z, or a duration such as 2h";

/** Tolerance for a time of now. */
const LATE_MS = 60_000;

type Placement = SubmitOptions["placement"];

interface PlacementFlags {
  readonly pool?: string;
  readonly account?: string;
  readonly machine?: string;
  readonly workspace?: "local" | "shared" | "git";
  readonly folder?: string;
  readonly repository?: string;
  readonly commit?: string;
  readonly sessions?: string;
  readonly failoverAfter?: string;
}

/** Where a run may be executed. Rejects for options that do not fit, and for a commit that workers cannot fetch. */
async function placementOf(
  flags: PlacementFlags,
  shell: Pick<Shell, "cwd" | "env" | "system">,
  warn: (message: string) => void,
): Promise<Placement> {
  const { pool, account, machine, failoverAfter, sessions = "home" } = flags;
  return {
    pool: pool ?? DEFAULT_PLACEMENT.pool,
    account: account ?? DEFAULT_PLACEMENT.account,
    pinned: machine ?? DEFAULT_PLACEMENT.pinned,
    workspace: await workspaceOf(flags, shell, warn),
    sessions: sessionsOf(sessions, shell.cwd),
    failoverAfterMs:
      failoverAfter === undefined
        ? DEFAULT_PLACEMENT.failoverAfterMs
        : parseDurationFlag("--failover-after", failoverAfter),
  };
}

async function workspaceOf(
  { workspace = "local", folder, repository, commit }: PlacementFlags,
  { cwd, env, system }: Pick<Shell, "cwd" | "env" | "system">,
  warn: (message: string) => void,
): Promise<Placement["workspace"]> {
  if (workspace !== "git" && (repository ?? commit) !== undefined) {
    const flag = repository === undefined ? "--commit" : "--repository";
    throw cliErrors["cli/flag-conflict"](`${flag} is for --workspace git.`, "Add --workspace git.");
  }
  switch (workspace) {
    case "local":
      return { kind: "local", folder: folder === undefined ? null : path.resolve(cwd, folder) };
    case "shared":
      return { kind: "shared", folder: path.resolve(cwd, folder ?? "") };
    case "git": {
      const git = gitBy((await system()).processes.start, env);
      return resolveWorkspace({ repository, commit, folder }, { git, cwd, warn });
    }
  }
}

function sessionsOf(text: string, cwd: string): Placement["sessions"] {
  const folder = /^dir:(.+)$/s.exec(text)?.[1];
  if (folder !== undefined) return { kind: "dir", folder: path.resolve(cwd, folder) };
  if (text === "home" || text === "pg") return { kind: text };
  throw new BadFlagError("--sessions", text, "home, pg, or dir:PATH");
}
