import { Command, type CommanderError, InvalidArgumentError, Option } from "commander";
import type { rerunCommand } from "./commands/rerun.ts";
import type { SubmitCommandOptions } from "./commands/submit.ts";
import { EXIT } from "./exit-codes.ts";
import { examplesHelp, FLEET_EXAMPLES } from "./fleet-examples.ts";
import { ABOUT_SWITCHES, AFTER_HELP, SHORT_HELP } from "./help.ts";
import { type FleetUse, inFleet, type WhichRuns } from "./in-fleet.ts";
import { refuseMistyped } from "./mistyped.ts";
import { requireArrival } from "./output.ts";
import { addRunOptions, optionTerm, type RunOptions } from "./run-options.ts";
import type { Shell } from "./shell.ts";
import { FLEET_FLAGS, NOT_IN_FLEET } from "./subcommand-options.ts";
import { addSubcommands, withRun } from "./subcommands.ts";
import { addSubmitOptions } from "./submit-options.ts";
import { VERSION } from "./version.ts";

/** Does what the command line says; `argv` as in `process.argv`. Rejects with a CommanderError or what commands throw. */
export async function obeyCommandLine(argv: readonly string[], shell: Shell): Promise<void> {
  const root = program(shell, argv.slice(2));
  const commands = root.commands.map((command) => command.name());
  refuseMistyped(argv.slice(2), commands, shell.cwd);
  await root.parseAsync(argv);
}

/**
 * The commander tree. Every action imports what it needs when it is called, so
 * that `--help` and `list` do not pay for the engine; and commands have options
 * only where they stand among the `words` of the command line. Without words all
 * have them.
 */
export function program(shell: Shell, words: readonly string[] | null = null): Command {
  const named = (command: string): boolean => words === null || words.includes(command);
  const root = new Command("raymond")
    .description("runs workflows made of prompts and scripts, with Claude Code")
    .usage("WORKFLOW [options]\n       raymond COMMAND [options]")
    .argument("[workflow]", "a folder, a zip, a .yaml file or a state file", notEmpty)
    .enablePositionalOptions()
    .showHelpAfterError("(raymond --help shows all options)")
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false, optionTerm, subcommandTerm })
    .addHelpText("after", `${ABOUT_SWITCHES}\n${AFTER_HELP}`)
    .hook("preSubcommand", passOn)
    .hook("postAction", async (_, command) => {
      // A run is worth more than its report; every other command is nothing but its answer.
      if (!["raymond", "run", "resume", "rerun"].includes(command.name()))
        await requireArrival(shell.out);
    });
  addRunOptions(root, "both");
  root
    .optionsGroup("And without a workflow:")
    .option(
      "--resume [id]",
      "go on with a run: the last one, or its id, a prefix, its last six characters",
    )
    .option("--init-config", "write a commented .raymond/config.toml (a workflow: raymond init)")
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "print all options, or those of a command")
    .action(async (workflow: string | undefined, options: RootOptions, command: Command) => {
      await rootAction(workflow, options, command, shell);
    });

  const run = root
    .command("run")
    .description("run a workflow; the same as raymond WORKFLOW")
    .argument("<workflow>", "a folder, a zip, a .yaml file or a state file", notEmpty)
    .addHelpText("after", ABOUT_SWITCHES)
    .action(async (workflow: string, options: RunOptions, command: Command) => {
      const { runCommand } = await import("./commands/run.ts");
      shell.exit(await runCommand(workflow, given(options, command), shell));
    });
  if (named("run")) addRunOptions(run, "start");

  const resume = withRun(root.command("resume"))
    .description(
      "go on with a run, the same as raymond --resume ID; what is not given stays as the run has it",
    )
    .addHelpText("after", ABOUT_SWITCHES)
    .action(async (run: string, options: ResumeOptions, command: Command) => {
      const { resumeCommand } = await import("./commands/resume.ts");
      shell.exit(await resumeCommand(run, given(options, command), shell));
    });
  if (named("resume")) {
    addRunOptions(resume, "resume");
    resume.option("--due", "all runs of this project whose wait is over, in the background");
    for (const [flags, help] of Object.entries(FLEET_FLAGS)) resume.option(flags, help);
  }

  const rerun = withRun(root.command("rerun"))
    .description("start a new run where a run stood before a step, by the workflow as it is now")
    .addHelpText("after", ABOUT_SWITCHES)
    .action(async (run: string, options: RerunOptions, command: Command) => {
      const wanted = given(options, command);
      const call = async () =>
        (await import("./commands/rerun.ts")).rerunCommand(run, wanted, shell);
      shell.exit(await inFleet(RERUN, wanted, shell, call));
    });
  if (named("rerun")) {
    rerun.requiredOption("--from <step>", "its number, or a state: the last time it was entered");
    rerun.option("--edit", "open the file of the state in $VISUAL or $EDITOR first");
    const atCost = "only say what the steps have cost that are not repeated";
    rerun.addOption(new Option("--at-cost", atCost).conflicts("edit"));
    addRunOptions(rerun, "rerun");
    for (const [flags, help] of Object.entries(NOT_IN_FLEET)) rerun.option(flags, help);
  }

  addSubcommands(root, shell, named);

  const submit = root
    .command("submit")
    .description("give a run to a fleet of machines, and print its id")
    .argument("<workflow>", "a folder, a zip, a .yaml file or a state file", notEmpty)
    .addHelpText("after", `${ABOUT_SWITCHES}\n${examplesHelp(FLEET_EXAMPLES.submit)}`)
    .action(async (workflow: string, options: SubmitCommandOptions, command: Command) => {
      const { submitCommand } = await import("./commands/submit.ts");
      shell.exit(await submitCommand(workflow, given(options, command), shell));
    });
  if (named("submit")) addSubmitOptions(addRunOptions(submit, "start", ["wait"]));

  for (const command of root.commands) {
    command.optionsGroup("Options:").helpOption("-h, --help", "print this");
  }
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

/** A command as the help of raymond names it; whether it has options need not be known for that. */
function subcommandTerm(command: Command): string {
  const options = command.name() === "help" ? "" : " [options]";
  const names = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
    return argument.required ? ` <${name}>` : ` [${name}]`;
  });
  return `${command.name()}${options}${names.join("")}`;
}

/** A variable that is not set shall not run the current folder. */
function notEmpty(workflow: string): string {
  if (workflow !== "") return workflow;
  throw new InvalidArgumentError("It is empty; . is the current folder.");
}

/** An option that stands before the name of a command is one of that command: never ignored. */
function passOn(root: Command, command: Command): void {
  for (const option of root.options) {
    if (!isGiven(option, root)) continue;
    const name = option.attributeName();
    if (command.options.some((own) => own.attributeName() === name)) {
      command.setOptionValueWithSource(name, root.getOptionValue(name), "cli");
    } else {
      const flag = option.long ?? option.flags;
      refuse(command, `raymond ${command.name()} has no option ${flag}`);
    }
  }
}

function refuse(command: Command, problem: string): never {
  command.error(`error: ${problem}`, { exitCode: EXIT.usage });
}

const RERUN: FleetUse = {
  name: "rerun",
  insteadInFleet:
    "Its conversations and files lie at its home. To begin anew: raymond submit WORKFLOW; to go on with what has stopped: raymond resume RUN.",
};
type RerunOptions = Parameters<typeof rerunCommand>[1] & WhichRuns;
type ResumeOptions = RunOptions & { readonly due?: boolean };
type RootOptions = RunOptions & { readonly resume?: string | true; readonly initConfig?: true };

async function rootAction(
  workflow: string | undefined,
  options: RootOptions,
  command: Command,
  shell: Shell,
): Promise<void> {
  if (options.initConfig === true) {
    refuseBesideInitConfig(workflow, command);
    const { initConfigCommand } = await import("./commands/init-config.ts");
    await initConfigCommand(options, shell);
    return;
  }
  if (options.resume !== undefined) {
    if (workflow !== undefined) {
      refuse(
        command,
        "--resume goes on with a run, so it takes no WORKFLOW (an id stands right behind --resume)",
      );
    }
    const run = options.resume === true ? "latest" : options.resume;
    const { resumeCommand } = await import("./commands/resume.ts");
    shell.exit(await resumeCommand(run, given(options, command), shell));
    return;
  }
  if (workflow === undefined) {
    const [first] = flagsGiven(command);
    if (first !== undefined) refuse(command, `${first} needs a WORKFLOW`);
    shell.out.write(SHORT_HELP);
    await requireArrival(shell.out);
    return;
  }
  const commands = command.commands.map((one) => one.name());
  refuseMistyped([workflow], commands, shell.cwd);
  const { runCommand } = await import("./commands/run.ts");
  shell.exit(await runCommand(workflow, given(options, command), shell));
}

/** Nothing that was given is dropped in silence: `--init-config` writes the defaults, and runs nothing. */
function refuseBesideInitConfig(workflow: string | undefined, command: Command): void {
  const others = flagsGiven(command).filter(
    (flag) => flag !== "--init-config" && flag !== "--state-dir",
  );
  const [other] = workflow === undefined ? others : ["WORKFLOW"];
  if (other === undefined) return;
  refuse(command, `--init-config only writes a file of defaults, so it takes no ${other}`);
}

/** The options that stand on the command line, as they were given. */
function flagsGiven(command: Command): readonly string[] {
  return command.options
    .filter((option) => isGiven(option, command))
    .map(({ long, flags }) => long ?? flags);
}

/** A switch is two options with one name, of which the other may have been given. */
function isGiven(option: Option, command: Command): boolean {
  const name = option.attributeName();
  if (command.getOptionValueSource(name) !== "cli") return false;
  return option.negate === (command.getOptionValue(name) === false);
}

/** Only the options that stand on the command line: a default of commander is not a wish. */
function given<Options extends RunOptions>(options: Options, command: Command): Options {
  const entries = Object.entries(options).filter(
    ([name]) => command.getOptionValueSource(name) === "cli",
  );
  return Object.fromEntries(entries) as Options;
}

/** What commander's own way out means here: asking for help is no error, all else is usage. */
export function exitCodeOfCommander(error: CommanderError): number {
  return error.exitCode === 0 ? EXIT.completed : EXIT.usage;
}
