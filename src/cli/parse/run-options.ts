import { type Command, Option } from "commander";
import { defaultText, flagName, type Option as Setting } from "../../config/option.ts";
import { OPTIONS } from "../../config/settings.ts";
import type { Settings } from "../../config/switches.ts";
import { EFFORTS } from "../../language/workflow/files/state-file.ts";
import { CHANGED_FILES, ON_ASK } from "../../machine/run-state.ts";
import { cliErrors } from "../words/errors.ts";
import { STATE_DIR, SWITCHES, TRUST_PROJECT } from "./options.ts";

/** Which run a command drives: a new one here, a new one in a fleet, an existing one, or a copy of one. */
export type RunMode = "start" | "submit" | "resume" | "rerun";

/** The options of a run that code reads by name. `settingsOf` reads those that are settings. */
export interface RunOptions {
  readonly addBudget?: string;
  readonly start?: string;
  readonly input?: string;
  readonly var?: readonly string[];
  readonly runId?: string;
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

/** An option as commander adds it, and the commands that take it (default: all). */
interface RunOption {
  readonly options: readonly Option[];
  readonly modes?: readonly RunMode[];
}

const NEW_RUN: readonly RunMode[] = ["start", "submit"];
const HERE: readonly RunMode[] = ["start", "resume", "rerun"];

/** New objects for each command: a commander option belongs to one command. */
function runOptions(mode: RunMode | null): ReadonlyMap<string, readonly RunOption[]> {
  const setting = (field: keyof Settings) => settingOption(OPTIONS[field], mode);
  return new Map([
    [
      "Limits:",
      [
        setting("budgetMicroUsd"),
        only(
          ["resume"],
          new Option("--add-budget <usd>", "Raise the budget of the run").conflicts("budget"),
        ),
        setting("maxSteps"),
        setting("maxParallel"),
        setting("maxAgents"),
      ],
    ],
    [
      "Agents:",
      [
        setting("model"),
        setting("effort"),
        setting("client"),
        setting("memory"),
        only(NEW_RUN, ...onOff("simulate", "Answer prompts from the workflow's *.sim.yaml (free)")),
        only(
          ["resume"],
          new Option("--lost-session <action>", "If a conversation is lost").choices([
            "fail",
            "fresh",
          ]),
        ),
      ],
    ],
    [
      "New run:",
      [
        only(NEW_RUN, new Option("--start <state>", "First state (default: 1_START, else START)")),
        only(
          NEW_RUN,
          new Option("--input <text>", "{{input}} of the first state (- reads standard input)"),
        ),
        only(
          NEW_RUN,
          new Option(
            "--var <name=value>",
            "Attribute of the first agent: {{name}}, $name (repeatable)",
          ).argParser(collect),
        ),
        only(
          ["start", "submit", "rerun"],
          new Option("--run-id <id>", "ID of the new run (default: wf-DATE-xxxxxx)"),
          new OldRunId(),
        ),
      ],
    ],
    [
      "Permissions:",
      [
        setting("allowedTools"),
        setting("disallowedTools"),
        setting("tools"),
        setting("skipPermissions"),
        setting("protectWorkflow"),
        setting("changedFiles"),
        all(...onOff(TRUST_PROJECT[0].slice(2), TRUST_PROJECT[1])),
      ],
    ],
    [
      "Time and waiting:",
      [
        setting("timeoutMs"),
        setting("toolTimeoutMs"),
        setting("scriptTimeoutMs"),
        setting("wait"),
        setting("maxWaitMs"),
        setting("maxOutageMs"),
        only(HERE, ...onOff("park", "Save the run and exit while it only waits (resume --due)")),
        setting("keepGoing"),
        setting("onAsk"),
        only(HERE, noInput()),
        only(
          ["resume"],
          ...onOff(
            "take-over",
            "Treat the owner of the run as dead if it cannot be checked from here",
          ),
        ),
      ],
    ],
    [
      "Output and files:",
      [
        only(HERE, ...onOff("detach", "Run in the background and print the run ID")),
        all(new Option(...STATE_DIR)),
        setting("debug"),
        setting("notify"),
        setting("workflowPath"),
        all(...onOff("json", "Print one JSON object per event")),
        all(...onOff("quiet", "Print only warnings, errors and the result")),
        all(...onOff("verbose", "Print everything")),
        all(...onOff("plain", "Print lines only, without the live view")),
      ],
    ],
  ]);
}

/**
 * Adds the options of a run. Without a mode, as for `raymond WORKFLOW` and `raymond --resume`, all of them. Options of
 * another mode are known but hidden, so that {@link refuseMisplaced} can say what to do.
 */
export function addRunOptions(command: Command, mode: RunMode | null): Command {
  for (const [heading, entries] of runOptions(mode)) {
    for (const { options, modes } of entries) {
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
  for (const { options: flags, modes } of [...runOptions(mode).values()].flat()) {
    const given = flags.find((option) => option.attributeName() in options);
    if (given === undefined || modes === undefined || modes.includes(mode)) continue;
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
    "Omit it. A resumed run keeps what it was started with.",
  ],
  rerun: (flag) => [
    `raymond rerun does not support ${flag}.`,
    "Omit it. The new run has the input and the settings of the other run, except for settings that are given.",
  ],
};

/** `maxWait`: the attribute of `--max-wait`. */
export function attributeOf(flag: string): string {
  return flag.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function all(...options: readonly Option[]): RunOption {
  return { options };
}

function only(modes: readonly RunMode[], ...options: readonly Option[]): RunOption {
  return { options, modes };
}

function onOff(name: string, help: string): readonly Option[] {
  return [new Option(`--${name}`, help), new Option(`--no-${name}`).hideHelp()];
}

/** The flag of a setting. A run that exists has its own settings, so defaults are not shown for it. */
function settingOption(setting: Setting, mode: RunMode | null): RunOption {
  const { help, value } = setting.flag;
  const name = flagName(setting);
  const standard = mode === "resume" || mode === "rerun" ? undefined : defaultText(setting);
  const text = standard === undefined ? help : `${help} (default: ${standard})`;
  if (value === undefined) {
    const [on, ...off] = onOff(name, text) as [Option, Option];
    SWITCHES.add(on);
    return all(on, ...off);
  }
  const option = new Option(`--${name} <${value}>`, text);
  if (setting.list === true) option.argParser(join);
  // `settingsOf` validates the value, as in the other sources of settings.
  const choices = CHOICES.get(setting.field);
  if (choices !== undefined) option.argChoices = [...choices];
  return all(option);
}

const CHOICES: ReadonlyMap<keyof Settings, readonly string[]> = new Map<
  keyof Settings,
  readonly string[]
>([
  ["effort", EFFORTS],
  ["onAsk", ON_ASK],
  ["changedFiles", CHANGED_FILES],
]);

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

/** Not a negation: `--input` is another option. */
function noInput(): Option {
  const option = new Option("--no-input", "Do not ask questions at the terminal");
  option.negate = false;
  return option;
}

function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

/** A list may be given in parts. */
function join(value: string, earlier?: string): string {
  return earlier === undefined ? value : `${earlier},${value}`;
}
