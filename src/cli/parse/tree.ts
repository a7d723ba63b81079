import type { Command } from "commander";
import { BadFlagError } from "../../config/errors.ts";
import { COMMANDS, type CommandTable } from "../commands/command-list.ts";
import { define as defineRoot } from "../commands/root.ts";
import { requireArrival } from "../output.ts";
import type { Shell } from "../shell.ts";
import { helpOf } from "./commander-errors.ts";
import { HELP_FORMAT } from "./help-format.ts";
import { RaymondCommand } from "./raymond-command.ts";
import { refuseUnknownCommand } from "./unknown-command.ts";

/** Runs a command line; `argv` as in `process.argv`. Rejects with the error of the command, or of commander. */
export async function runCommandLine(argv: readonly string[], shell: Shell): Promise<void> {
  const words = argv.slice(2);
  const root = await commandTree(shell, words);
  refuseUnknownCommand(
    words,
    root.commands.map((command) => command.name()),
    shell.cwd,
  );
  // Errors of the parser name their command already.
  let running: Command | null = null;
  root.hook("preAction", (_, command) => {
    running = command;
  });
  await root.parseAsync(argv).catch((error: unknown) => {
    throw error instanceof BadFlagError && running !== null
      ? error.withHelp(helpOf(running))
      : error;
  });
}

/**
 * The commander tree. The file of a command is loaded only if the command is among `words`, so that `--help` and
 * `list` do not load the others. Without `words` every command is loaded.
 */
export async function commandTree(
  shell: Shell,
  words: readonly string[] | null = null,
): Promise<Command> {
  const root = new RaymondCommand("raymond")
    .description("Run workflows of prompts and scripts with coding agents.")
    .enablePositionalOptions()
    .helpCommand(false)
    .configureHelp(HELP_FORMAT)
    .configureOutput({
      writeOut: shell.out.write,
      writeErr: shell.err.write,
      // `RaymondCommand` turns the message into an error of raymond.
      outputError: () => undefined,
    })
    .hook("postAction", async (_, command) => {
      // A run is worth more than its output. Any other command has failed if its output is lost.
      if (!DRIVES_RUNS.has(command.name())) await requireArrival(shell.out);
    });
  defineRoot(root, shell);
  const isNamed = (name: string) => words === null || words.includes(name);
  const add = async (parent: Command, table: CommandTable, heading: string) => {
    for (const [name, [summary, load, subcommands = {}]] of Object.entries(table)) {
      const command = parent.command(name).description(summary).helpGroup(heading);
      await add(command, subcommands, heading);
      if (isNamed(name)) (await load()).define(command, shell);
    }
  };
  for (const [heading, table] of Object.entries(COMMANDS)) await add(root, table, heading);
  return root;
}

const DRIVES_RUNS: ReadonlySet<string> = new Set(["raymond", "run", "resume", "rerun"]);
