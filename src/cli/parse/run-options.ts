import { type Command, Option } from "commander";
import { readEntries, readFlag, readPairs } from "../../config/flags.ts";
import { defaultText, flagName, type Option as Setting } from "../../config/option.ts";
import { allOptions, OPTIONS } from "../../config/settings.ts";
import type { Settings } from "../../config/switches.ts";
import { LEVELS } from "../../language/permissions/permission.ts";
import { EFFORTS, ON_DENIED } from "../../language/workflow/files/state-file.ts";
import { CHANGED_FILES, ON_ASK, SNAPSHOT_MODES } from "../../machine/model/run-state.ts";
import { runErrors } from "../../run/errors.ts";
import { cliErrors } from "../words/errors.ts";
import { STATE_DIR, SWITCHES, TAKE_OVER, TRUST_PROJECT } from "./options.ts";

/** Which run a command drives: a new one here, a new one in a fleet, an existing one, or a copy of one. */
export type RunMode = "start" | "submit" | "resume" | "rerun";

/** The options of a run that code reads by name. `settingsOf` reads those that are settings. */
export interface RunOptions {
  readonly addBudget?: string;
  readonly start?: string;
  readonly input?: string;
  readonly var?: readonly string[];
  readonly runId?: string;
  readonly worktree?: string | true;
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

/** The options for one setting or switch, and the commands that take them (default: all). */
interface RunOption {
  readonly options: readonly Option[];
  readonly modes?: readonly RunMode[];
}

const NEW_RUN: readonly RunMode[] = ["start", "submit"];
const NEW_OR_COPY: readonly RunMode[] = ["start", "submit", "rerun"];
const HERE: readonly RunMode[] = ["start", "resume", "rerun"];
const RESUME: readonly RunMode[] = ["resume"];

/** By headings of the help: fields of settings, and other options. New objects, which belong to one command. */
function runOptions(): Readonly<Record<string, readonly (keyof Settings | RunOption)[]>> {
  return {
    "Limits:": [
      "budgetMicroUsd",
      "allowUnpriced",
      only(RESUME, "--add-budget <usd>", "Raise the budget of the run", (option) =>
        option.conflicts("budget"),
      ),
      ...(["maxSteps", "maxParallel", "maxAgents"] as const),
    ],
    "Agents:": [
      ...(["agents", "model", "effort", "fallbackModel", "maxTurns", "clients", "memory"] as const),
      { options: [new OldClient()] },
      onOff("simulate", "Answer prompts from the workflow's *.sim.yaml (free)", NEW_RUN),
      only(RESUME, "--lost-session <action>", "If a conversation is lost", (option) =>
        option.choices(["fail", "fresh"]),
      ),
    ],
    "New run:": [
      only(NEW_RUN, "--start <state>", "First state (default: 1_START, else START)"),
      only(NEW_RUN, "--input <text>", "{{input}} of the first state (- reads standard input)"),
      only(
        NEW_RUN,
        "--var <name=value>",
        "Attribute of the first agent: {{name}}, $name (repeatable)",
        (option) => option.argParser(collect),
      ),
      only(NEW_OR_COPY, "--run-id <id>", "ID of the new run (default: wf-DATE-xxxxxx)"),
      { options: [new OldRunId()], modes: NEW_OR_COPY },
      only(["start"], "--worktree [name]", "Work in a new git worktree, on branch raymond/NAME"),
    ],
    "Permissions:": [
      ...(["permissions", "allow", "deny"] as const),
      ...(["allowedTools", "disallowedTools", "tools"] as const),
      ...(["onDenied", "skipPermissions", "protectWorkflow", "changedFiles"] as const),
      ...(["sandbox", "container"] as const),
      ...(["envPass", "envSet", "envSecret"] as const),
      onOff(TRUST_PROJECT[0].slice(2), TRUST_PROJECT[1]),
      "ignoreProjectSettings",
    ],
    "Time and waiting:": [
      ...(["timeoutMs", "toolTimeoutMs", "scriptTimeoutMs"] as const),
      ...(["wait", "maxWaitMs", "maxOutageMs", "fallbackAfterMs"] as const),
      onOff("park", "Save the run and exit while it only waits (resume --due)", HERE),
      ...(["keepGoing", "onAsk"] as const),
      // Not a negation: `--input` is another option.
      only(HERE, "--no-input", "Do not ask questions at the terminal", (option) =>
        Object.assign(option, { negate: false }),
      ),
      onOff(TAKE_OVER[0].slice(2), TAKE_OVER[1], RESUME),
    ],
    "Output and files:": [
      onOff("detach", "Run in the background and print the run ID", HERE),
      { options: [new Option(...STATE_DIR)] },
      ...(["snapshots", "debug", "notify", "workflowPath"] as const),
      onOff("json", "Print one JSON object per event"),
      onOff("quiet", "Print only warnings, errors and the result"),
      onOff("verbose", "Print everything"),
      onOff("plain", "Print lines only, without the live view"),
    ],
  };
}

/**
 * Adds the options of a run. Without a mode, as for `raymond WORKFLOW` and `raymond --resume`, all of them. Options of
 * another mode are known but hidden, so that {@link refuseMisplaced} can say what to do.
 */
export function addRunOptions(command: Command, mode: RunMode | null): Command {
  for (const [heading, entries] of Object.entries(runOptions())) {
    for (const entry of entries) {
      const { options, modes } =
        typeof entry === "string" ? settingOption(OPTIONS[entry], mode) : entry;
      if (mode === "submit" && modes === HERE) continue;
      for (const option of options) {
        if (mode !== null && modes?.includes(mode) === false) option.hideHelp();
        command.addOption(option.helpGroup(heading));
      }
    }
  }
  return command;
}

/** Throws for an option of another mode, and for two options that contradict each other. */
export function refuseMisplaced(options: RunOptions, mode: RunMode): void {
  if (options.quiet === true && options.verbose === true) {
    throw cliErrors["cli/flag-conflict"](
      "--quiet and --verbose contradict each other.",
      "Use only one of them. The event log has everything in any case.",
    );
  }
  for (const entry of Object.values(runOptions()).flat()) {
    if (typeof entry === "string" || entry.modes?.includes(mode) !== false) continue;
    const given = entry.options.find((option) => option.attributeName() in options);
    if (given === undefined) continue;
    const flag = given.long ?? given.flags;
    throw cliErrors["cli/flag-conflict"](...MISPLACED[mode](flag));
  }
}

const MISPLACED: Readonly<Record<RunMode, (flag: string) => readonly [string, string]>> = {
  start: (flag) => [
    `${flag} is for raymond resume.`,
    "Omit it for a new run, or continue a run with: raymond resume RUN",
  ],
  submit: (flag) => [`${flag} is for raymond resume.`, "Omit it for a new run."],
  resume: (flag) => [
    `${flag} is for new runs.`,
    "Omit it. A resumed run keeps the options it was started with.",
  ],
  rerun: (flag) => [
    `raymond rerun does not support ${flag}.`,
    "Omit it. The new run has the input and the settings of the other run, except for settings that are given.",
  ],
};

/** The settings among the options. Throws a RaymondError that names the flag. */
export function settingsOf(options: object): Partial<Settings> {
  const given = new Map<string, unknown>(Object.entries(options));
  const settings = allOptions().flatMap((option) => {
    const value = given.get(attributeOf(flagName(option)));
    if (typeof value === "boolean") return [[option.field, value] as const];
    if (option.merges === true && Array.isArray(value))
      return [[option.field, readEntries(option, value)] as const];
    if (option.pairs === true && Array.isArray(value))
      return [[option.field, readPairs(option, value)] as const];
    return typeof value === "string" ? [[option.field, readFlag(option, value)] as const] : [];
  });
  return Object.fromEntries(settings);
}

/** `--var name=value`, each name once. */
export function variablesOf(options: RunOptions): Readonly<Record<string, string>> {
  const variables = new Map<string, string>();
  for (const given of options.var ?? []) {
    const at = given.indexOf("=");
    if (at < 0) throw runErrors["cli/bad-variable"](given, "Expected NAME=VALUE.");
    const name = given.slice(0, at);
    if (variables.has(name)) {
      throw runErrors["cli/bad-variable"](given, `The name ${name} is given twice.`);
    }
    variables.set(name, given.slice(at + 1));
  }
  // `fromEntries` also supports the name __proto__.
  return Object.fromEntries(variables);
}

/** `maxWait`: the attribute of `--max-wait`. */
function attributeOf(flag: string): string {
  return flag.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function only(
  modes: readonly RunMode[],
  flags: string,
  help: string,
  change: (option: Option) => Option = (option) => option,
): RunOption {
  return { options: [change(new Option(flags, help))], modes };
}

function onOff(name: string, help: string, modes?: readonly RunMode[]): RunOption {
  const options = [new Option(`--${name}`, help), new Option(`--no-${name}`).hideHelp()];
  return { options, ...(modes && { modes }) };
}

/** The flag of a setting. A run that exists has its own settings, so defaults are not shown for it. */
function settingOption(setting: Setting, mode: RunMode | null): RunOption {
  const { help, value } = setting.flag;
  const name = flagName(setting);
  const standard = mode === "resume" || mode === "rerun" ? undefined : defaultText(setting);
  const text = standard === undefined ? help : `${help} (default: ${standard})`;
  if (value === undefined) {
    const option = onOff(name, text);
    for (const each of option.options) SWITCHES.add(each);
    return option;
  }
  const option = new Option(`--${name} <${value}>`, text);
  if (setting.list === true) option.argParser(join);
  if (setting.pairs === true || setting.merges === true) option.argParser(collect);
  // `settingsOf` validates the value, as in the other sources of settings.
  const choices = CHOICES[setting.field];
  if (choices !== undefined) option.argChoices = [...choices];
  return { options: [option] };
}

const CHOICES: { readonly [Field in keyof Settings]?: readonly string[] } = {
  effort: EFFORTS,
  permissions: LEVELS,
  onDenied: ON_DENIED,
  onAsk: ON_ASK,
  changedFiles: CHANGED_FILES,
  snapshots: SNAPSHOT_MODES,
};

/** The earlier name of `--run-id`. */
class OldRunId extends Option {
  constructor() {
    super("--workflow-id <id>");
    this.hideHelp();
  }

  override attributeName(): string {
    return "runId";
  }
}

/** The earlier name of `--client claude=PATH`. */
class OldClient extends Option {
  constructor() {
    super("--claude <path>");
    this.hideHelp();
    this.argParser((path: string, earlier?: readonly string[]) =>
      collect(`claude=${path}`, earlier),
    );
  }

  override attributeName(): string {
    return "client";
  }
}

function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

/** A list may be given in parts. */
function join(value: string, earlier?: string): string {
  return earlier === undefined ? value : `${earlier},${value}`;
}
