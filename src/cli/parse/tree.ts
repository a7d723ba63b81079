import type { Command } from "commander";
import {
  ALL_COMMANDS,
  COMMAND_GROUPS,
  COMMANDS,
  type CommandEntry,
  OLD_NAMES,
} from "../commands/command-list.ts";
import { define as defineRoot } from "../commands/root.ts";
import { requireArrival } from "../output.ts";
import type { Shell } from "../shell.ts";
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
  await root.parseAsync(argv);
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
  for (const group of COMMAND_GROUPS) {
    for (const entry of COMMANDS[group]) {
      const command = await addCommand(root, entry, shell, words);
      command.helpGroup(group);
    }
  }
  for (const [name, path] of Object.entries(OLD_NAMES)) {
    const isNamed = words?.includes(name) === true;
    if (isNamed) await addCommand(root, { ...entryAt(path), name }, shell, words, true);
  }
  return root;
}

const DRIVES_RUNS: ReadonlySet<string> = new Set(["raymond", "run", "resume", "rerun"]);

async function addCommand(
  parent: Command,
  entry: CommandEntry,
  shell: Shell,
  words: readonly string[] | null,
  hidden = false,
): Promise<Command> {
  const command = parent.command(entry.name, { hidden }).description(entry.summary);
  if (command instanceof RaymondCommand) command.more = entry.more === true;
  for (const each of entry.commands ?? []) await addCommand(command, each, shell, words);
  if (words === null || words.includes(entry.name)) (await entry.load()).define(command, shell);
  return command;
}

function entryAt(path: readonly string[]): CommandEntry {
  let entries = ALL_COMMANDS;
  let entry: CommandEntry | undefined;
  for (const name of path) {
    entry = entries.find((each) => each.name === name);
    entries = entry?.commands ?? [];
  }
  if (entry === undefined) throw new Error(`no command ${path.join(" ")}`);
  return entry;
}
