import { Command, type CommanderError } from "commander";
import { EXIT, exitCodesText } from "./exit-codes.ts";
import { addRunOptions, type RunOptions } from "./run-options.ts";
import type { Shell } from "./shell.ts";
import { VERSION } from "./version.ts";

/**
 * The commander tree. Every action imports what it needs when it is called, so
 * that `--help` and `list` do not pay for the engine.
 */
export function program(shell: Shell): Command {
  const root = new Command("raymond")
    .description("runs workflows made of prompts and scripts, with Claude Code")
    .usage("WORKFLOW [options]\n       raymond COMMAND [options]")
    .argument("[workflow]", "a folder, a zip or a state file")
    .version(VERSION, "-V, --version", "print the version")
    .enablePositionalOptions()
    .showHelpAfterError("(raymond --help shows all options)")
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false })
    .addHelpText("after", AFTER_HELP);
  addRunOptions(root);
  root
    .option(
      "--resume <id>",
      "go on with a run: its id, a prefix, its last six characters, or latest",
    )
    .option("--init-config", "write a commented .raymond/config.toml")
    .action(async (workflow: string | undefined, options: RootOptions, command: Command) => {
      await rootAction(workflow, options, command, shell);
    });

  addRunOptions(
    root
      .command("run")
      .description("run a workflow; the same as raymond WORKFLOW")
      .argument("<workflow>"),
  ).action(async (workflow: string, options: RunOptions, command: Command) => {
    const { runCommand } = await import("./commands/run.ts");
    shell.exit(await runCommand(workflow, given(options, command), shell));
  });

  addRunOptions(
    root
      .command("resume")
      .description("go on with a run; the same as raymond --resume ID")
      .argument("[run]", "id, prefix, tail, path of the state file, or latest", "latest"),
  ).action(async (run: string, options: RunOptions, command: Command) => {
    const { resumeCommand } = await import("./commands/resume.ts");
    shell.exit(await resumeCommand(run, given(options, command), shell));
  });

  root
    .command("list")
    .description("list the runs of this project")
    .option("--all", "include the completed ones")
    .option("--json", "print one JSON object a line")
    .option("--state-dir <dir>", "where the runs are, in place of .raymond")
    .action(async (options: { all?: true; json?: true; stateDir?: string }) => {
      const { listCommand } = await import("./commands/list.ts");
      await listCommand(options, shell);
    });

  root
    .command("status")
    .description("show where a run stands")
    .argument("[run]", "id, prefix, tail, path of the state file, or latest", "latest")
    .option("--json", "print the state as JSON")
    .option("--state-dir <dir>", "where the runs are, in place of .raymond")
    .action(async (run: string, options: { json?: true; stateDir?: string }) => {
      const { statusCommand } = await import("./commands/status.ts");
      await statusCommand(run, options, shell);
    });

  root
    .command("prune")
    .description("delete runs: completed ones, or those that are named")
    .argument("[run...]", "ids of runs to delete, whatever their status")
    .option("--all", "also those that have failed or stopped, and could still be resumed")
    .option("--dry-run", "say what would be deleted, and delete nothing")
    .option("--state-dir <dir>", "where the runs are, in place of .raymond")
    .action(async (runs: string[], options: { all?: true; dryRun?: true; stateDir?: string }) => {
      const { pruneCommand } = await import("./commands/prune.ts");
      await pruneCommand(runs, options, shell);
    });

  const help = root
    .command("help")
    .description("show help")
    .argument("[topic]", "a command, or exit-codes");
  help.action((topic: string | undefined) => {
    showHelp(root, topic, shell);
  });

  for (const command of [root, ...root.commands]) {
    command.exitOverride().configureOutput({
      writeOut: shell.out.write,
      writeErr: shell.err.write,
      outputError: (text, write) => {
        write(text);
      },
    });
  }
  return root;
}

type RootOptions = RunOptions & { readonly resume?: string; readonly initConfig?: true };

async function rootAction(
  workflow: string | undefined,
  options: RootOptions,
  command: Command,
  shell: Shell,
): Promise<void> {
  if (options.initConfig === true) {
    const { initConfigCommand } = await import("./commands/init-config.ts");
    await initConfigCommand(options, shell);
    return;
  }
  if (options.resume !== undefined) {
    if (workflow !== undefined) {
      command.error("error: --resume goes on with a run, so it takes no WORKFLOW", {
        exitCode: EXIT.usage,
      });
    }
    const { resumeCommand } = await import("./commands/resume.ts");
    shell.exit(await resumeCommand(options.resume, given(options, command), shell));
    return;
  }
  if (workflow === undefined) {
    shell.out.write(SHORT_HELP);
    return;
  }
  const { runCommand } = await import("./commands/run.ts");
  shell.exit(await runCommand(workflow, given(options, command), shell));
}

/** Only the options that stand on the command line: a default of commander is not a wish. */
function given(options: RunOptions, command: Command): RunOptions {
  const entries = Object.entries(options).filter(
    ([name]) => command.getOptionValueSource(name) === "cli",
  );
  return Object.fromEntries(entries);
}

function showHelp(root: Command, topic: string | undefined, shell: Shell): void {
  if (topic === "exit-codes") {
    shell.out.line(exitCodesText());
    return;
  }
  const command = topic === undefined ? root : root.commands.find((one) => one.name() === topic);
  if (command === undefined) {
    root.error(`error: there is no help on "${topic ?? ""}" (topics: ${topics(root)})`, {
      exitCode: EXIT.usage,
    });
  }
  command.outputHelp();
}

function topics(root: Command): string {
  return [...root.commands.map((command) => command.name()), "exit-codes"].join(", ");
}

/** What commander's own way out means here: asking for help is no error, all else is usage. */
export function exitCodeOfCommander(error: CommanderError): number {
  return error.exitCode === 0 ? EXIT.completed : EXIT.usage;
}

const SHORT_HELP = `raymond runs workflows made of prompts and scripts, with Claude Code.

  raymond WORKFLOW [options]     run a folder, a zip or a state file
  raymond --resume ID            go on with a run (or: --resume latest)
  raymond list                   the runs of this project
  raymond status [ID]            where a run stands
  raymond --init-config          write a commented .raymond/config.toml
  raymond --help                 all options and commands
`;

const AFTER_HELP = `
Examples:
  $ raymond workflows/tour --simulate         look around; costs nothing
  $ raymond workflows/coding --budget 5       run, and stop at five dollars
  $ raymond --resume latest --budget 20       go on with more money

Exit codes: raymond help exit-codes`;
