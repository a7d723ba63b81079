import type { Command } from "commander";
import { showHelp } from "./help.ts";
import type { Shell } from "./shell.ts";

/** Adds the commands that look at runs, end them and take them away, and those about raymond itself. */
export function addSubcommands(root: Command, shell: Shell): void {
  addLooking(root, shell);
  addEnding(root, shell);
  addTour(root, shell);
  addDoctor(root, shell);
  root
    .command("help")
    .description("show help on a command, or on: tags, environment, exit-codes")
    .argument("[topic]", "a command, or tags, environment, exit-codes")
    .action(async (topic: string | undefined) => {
      await showHelp(root, topic, shell);
    });
}

function addLooking(root: Command, shell: Shell): void {
  withStateDir(
    root
      .command("list")
      .description("list the runs of this project")
      .option("--all", "all of them, and not only the last 20")
      .option("--status <status>", "only those with this status, such as failed or crashed")
      .option("--json", "print one JSON object a line"),
  ).action(async (options: { all?: true; status?: string; json?: true; stateDir?: string }) => {
    const { listCommand } = await import("./commands/list.ts");
    await listCommand(options, shell);
  });

  withStateDir(
    withRun(root.command("status"))
      .description("show where a run stands")
      .option("--json", "print the state as JSON"),
  ).action(async (run: string, options: { json?: true; stateDir?: string }) => {
    const { statusCommand } = await import("./commands/status.ts");
    await statusCommand({ run, ...options }, shell);
  });

  withStateDir(
    withRun(root.command("cost"))
      .description("show where the money of a run went: by agent, state and model")
      .option("--json", "print one JSON object"),
  ).action(async (run: string, options: { json?: true; stateDir?: string }) => {
    const { costCommand } = await import("./commands/cost.ts");
    await costCommand({ run, ...options }, shell);
  });
}

function addEnding(root: Command, shell: Shell): void {
  withStateDir(
    withRun(root.command("stop"))
      .description("end a run, and all processes that it has started")
      .option("--timeout <duration>", "kill what is in flight after so long (default: 90s)")
      .option("--take-over", TAKE_OVER),
  ).action(async (run: string, options: StopFlags) => {
    const { stopCommand } = await import("./commands/stop.ts");
    shell.exit(await stopCommand({ run, ...options }, shell));
  });

  withStateDir(
    withRun(root.command("retry-now")).description(
      "let a run that waits for a usage limit or an outage try again now",
    ),
  ).action(async (run: string, options: { stateDir?: string }) => {
    const { retryNowCommand } = await import("./commands/retry-now.ts");
    shell.exit(await retryNowCommand({ run, ...options }, shell));
  });

  withStateDir(
    root
      .command("prune")
      .description("delete runs: completed ones, or those that are named")
      .argument("[run...]", "ids of runs to delete, whatever their status")
      .option("--all", "also those that have failed or stopped, and could still be resumed")
      .option(
        "--older-than <duration>",
        "only those that have not changed for so long, such as 14d",
      )
      .option("--keep <n>", "keep so many of them, those that have changed last")
      .option("--take-over", TAKE_OVER)
      .option("--dry-run", "say what would be deleted, and delete nothing")
      .option("-y, --yes", "do not ask"),
  ).action(async (runs: string[], options: PruneFlags) => {
    const { pruneCommand } = await import("./commands/prune.ts");
    await pruneCommand(runs, options, shell);
  });
}

const TAKE_OVER = "take a holder that cannot be seen from here for dead";

interface StopFlags {
  readonly timeout?: string;
  readonly takeOver?: true;
  readonly stateDir?: string;
}

interface PruneFlags {
  readonly takeOver?: true;
  readonly all?: true;
  readonly olderThan?: string;
  readonly keep?: string;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly stateDir?: string;
}

function addTour(root: Command, shell: Shell): void {
  root
    .command("tour")
    .description("watch a small workflow run; simulated, costs nothing, leaves nothing")
    .option("--quiet", "show only its result")
    .option("--verbose", "show everything")
    .action(async (options: { quiet?: true; verbose?: true }) => {
      const { tourCommand } = await import("./commands/tour.ts");
      shell.exit(await tourCommand(options, shell));
    });
}

function addDoctor(root: Command, shell: Shell): void {
  withStateDir(
    root
      .command("doctor")
      .description("check whether everything that a run needs is there; costs nothing")
      .option("--json", "print one JSON object"),
  ).action(async (options: { json?: true; stateDir?: string }) => {
    const { doctorCommand } = await import("./commands/doctor.ts");
    shell.exit(await doctorCommand(options, shell));
  });
}

/** The argument of commands about one run; the run that was started last, where none is named. */
export function withRun(command: Command): Command {
  return command.argument("[run]", "id, prefix, tail, path of the state file, or latest", "latest");
}

function withStateDir(command: Command): Command {
  return command.option("--state-dir <dir>", "where the runs are, in place of .raymond");
}
