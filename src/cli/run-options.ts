import { type Command, Option } from "commander";
import { FlagConflictError } from "./errors.ts";
import { type Drive, FLAG_GROUPS, type Flag } from "./flag-groups.ts";

/** The options of `raymond WORKFLOW` and `--resume` that code asks for by name; settings are read by `settingsOf`. */
export interface RunOptions {
  readonly addBudget?: string;
  readonly start?: string;
  readonly input?: string;
  readonly var?: readonly string[];
  readonly workflowId?: string;
  readonly noInput?: boolean;
  readonly stateDir?: string;
  readonly takeOver?: boolean;
  readonly trustProject?: boolean;
  readonly lostSession?: "fail" | "fresh";
  readonly simulate?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly plain?: boolean;
  readonly detach?: boolean;
  readonly park?: boolean;
}

/**
 * Adds the options that a run takes, but for `own`, which the command has itself. Those that this way to drive
 * it has not are known as well, so that they are refused in words ({@link refuseMisplaced}), and not shown.
 */
export function addRunOptions(
  command: Command,
  drive: Drive,
  own: readonly string[] = [],
): Command {
  for (const { heading, flags } of FLAG_GROUPS) {
    for (const flag of flags.filter(({ name }) => !own.includes(name))) {
      for (const option of optionsOf(flag, drive)) {
        if (!takes(flag, drive)) option.hideHelp();
        command.addOption(option.helpGroup(heading));
      }
    }
  }
  return command;
}

/** An option as the help names it: both forms of a setting in one word. */
export function optionTerm(option: Option): string {
  const { flags, long } = option;
  const flag = allFlags().find(({ name }) => `--${name}` === long);
  const both =
    flag?.kind === "switch" && flag.setting && option.attributeName() === attributeOf(flag.name);
  return both ? flags.replace("--", "--[no-]") : flags;
}

/** Throws a FlagConflictError for an option of the other way to drive a run, and for two that contradict each other. */
export function refuseMisplaced(options: RunOptions, drive: Exclude<Drive, "both">): void {
  if (options.quiet === true && options.verbose === true) {
    const hint = "Leave one of them away; the event log has everything in any case.";
    throw new FlagConflictError("--quiet and --verbose contradict each other.", hint);
  }
  for (const flag of allFlags()) {
    if (takes(flag, drive) || !(attributeOf(flag.name) in options)) continue;
    if (drive === "rerun") {
      const hint =
        "A rerun goes on with what the other run had then, and with its settings, but for those that are given.";
      throw new FlagConflictError(`--${flag.name} is not for raymond rerun.`, hint);
    }
    if (drive === "resume") {
      const hint = "A resumed run goes on with what it was started with. Leave the flag away.";
      throw new FlagConflictError(`--${flag.name} is for new runs.`, hint);
    }
    const hint = "Leave it away for a new run, or go on with one: raymond --resume ID.";
    throw new FlagConflictError(`--${flag.name} is for --resume.`, hint);
  }
}

/** `maxWait`: what commander calls the value of `--max-wait`. */
export function attributeOf(flag: string): string {
  return flag.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function takes({ only }: Flag, drive: Drive): boolean {
  if (only === undefined || drive === "both" || only === drive) return true;
  return only === "new" && (drive === "start" || drive === "rerun");
}

function allFlags(): readonly Flag[] {
  return FLAG_GROUPS.flatMap(({ flags }) => flags);
}

function optionsOf(flag: Flag, drive: Drive): readonly Option[] {
  const help = helpOf(flag, drive);
  if (flag.kind === "switch" && flag.name.startsWith("no-")) {
    // No other form: --input is an option of its own.
    const option = new Option(`--${flag.name}`, help);
    option.negate = false;
    return [option];
  }
  if (flag.kind === "switch") {
    return [new Option(`--${flag.name}`, help), new Option(`--no-${flag.name}`).hideHelp()];
  }
  const option = new Option(`--${flag.name} <${flag.value}>`, help);
  if (flag.several === "kept") option.argParser(collect);
  if (flag.several === "joined") option.argParser(join);
  if (flag.choices !== undefined) option.choices(flag.choices);
  if (flag.conflicts !== undefined) option.conflicts(flag.conflicts);
  return [option];
}

/** A resumed run has settings of its own, so the defaults of new ones are not said there. */
function helpOf({ help, standard, only }: Flag, drive: Drive): string {
  if (drive === "both" && only === "resume") return `on resume: ${help}`;
  const asBefore = drive === "resume" || (drive === "rerun" && only !== "new");
  return standard === undefined || asBefore ? help : `${help} (default: ${standard})`;
}

function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

/** A list may be given in parts: the parts are one list. */
function join(value: string, earlier?: string): string {
  return earlier === undefined ? value : `${earlier},${value}`;
}
