import type { Command } from "commander";
import { examplesHelp } from "./fleet-examples.ts";
import { showHelp } from "./help.ts";
import { inFleet } from "./in-fleet.ts";
import type { Shell } from "./shell.ts";
import { SUBCOMMANDS } from "./subcommand-table.ts";

/** Adds them, and `help`, which tells of them all. Only one that is named can be called, and has options. */
export function addSubcommands(
  root: Command,
  shell: Shell,
  isNamed: (command: string) => boolean,
): void {
  for (const subcommand of SUBCOMMANDS) {
    const { name, about, names, words = [], options, examples, load, opensFleet } = subcommand;
    const command = root.command(name).description(about);
    if (names === "run") withRun(command);
    if (names === "runs")
      command.argument("[run...]", "ids of runs to delete, whatever their status");
    if (names === "workflow")
      command.argument("<workflow>", "a folder, or a .yaml file with states");
    if (names === "question")
      command.argument("[run]", "the run that asks; without it the one question that is open");
    if (names === "live")
      command.argument("[run]", "the run; without it the one that goes on, else the last one");
    for (const [word, help] of words) command.argument(word, help);
    if (subcommand.parsesWords === true) command.passThroughOptions();
    if (!isNamed(name)) continue;
    if (examples !== undefined) command.addHelpText("after", examplesHelp(examples));
    for (const [flags, help] of Object.entries(options)) command.option(flags, help);
    command.action(async () => {
      const call = await load();
      const keys = [...(names === undefined ? [] : [names]), ...words.map(([word]) => keyOf(word))];
      const named = keys.map((key, at) => [key, command.processedArgs[at] as unknown] as const);
      const given = { ...command.opts(), ...Object.fromEntries(named) };
      // Commander gives what the table says, which is what the command asks for.
      const act = (where: Shell) => call(given as never, where, root);
      const knowsFleets = "--no-fleet" in options && opensFleet !== true;
      const code = await (knowsFleets ? inFleet(subcommand, given, shell, act) : act(shell));
      if (typeof code === "number") shell.exit(code);
    });
  }
  root
    .command("help")
    .description("show help on a command, a workflow, or on: tags, environment, exit-codes")
    .argument("[topic]", "a command, a workflow, or tags, environment, exit-codes")
    .action(async (topic: string | undefined) => {
      await showHelp(root, topic, shell);
    });
}

/** `[folder]` is given as `folder`. */
function keyOf(word: string): string {
  return word.replaceAll(/[^\w-]/g, "");
}

/** The argument of commands about one run; the run that was started last, where none is named. */
export function withRun(command: Command): Command {
  return command.argument("[run]", "id, prefix, tail, path of the state file, or latest", "latest");
}
