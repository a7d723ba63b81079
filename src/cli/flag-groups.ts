import { flagName, type Option, standardOf } from "../config/option.ts";
import { OPTIONS } from "../config/settings.ts";
import type { Settings } from "../config/switches.ts";

/** Which of the ways to drive a run a command is; `raymond` itself is the first two. */
export type Drive = "start" | "resume" | "rerun" | "both";

/** Which of them takes an option; a new run is one that starts at its entry, or where another stood. */
export type Only = "start" | "resume" | "new";

/** An option that takes a value. */
interface ValueFlag {
  readonly kind: "value";
  readonly name: string;
  readonly value: string;
  readonly help: string;
  /** What a new run does without it; a resumed one goes on as it was. */
  readonly standard?: string;
  /** Given several times: kept one by one, or joined to one list. Else the last one counts. */
  readonly several?: "kept" | "joined";
  readonly choices?: readonly string[];
  readonly conflicts?: string;
  readonly only?: Only;
}

/** An option that is on or off: it has its `--no-` form. */
interface Switch {
  readonly kind: "switch";
  readonly name: string;
  readonly help: string;
  readonly standard?: string;
  /** It is a setting of the run, which a file may have switched on: the help shows both forms. */
  readonly setting: boolean;
  readonly only?: Only;
}

export type Flag = ValueFlag | Switch;

/** Options that belong together, under one heading of the help. */
export interface FlagGroup {
  readonly heading: string;
  readonly flags: readonly Flag[];
}

const TRUST_HELP = "use the client, notify and permissions set by files in the git repository";

/** The options of `raymond WORKFLOW` and `--resume`, in the order in which a newcomer needs them. */
export const FLAG_GROUPS: readonly FlagGroup[] = [
  {
    heading: "What may be spent:",
    flags: [
      of("budgetMicroUsd"),
      value("add-budget", "usd", "raise the run's budget by so much, and keep that", {
        conflicts: "budget",
        only: "resume",
      }),
      of("maxSteps"),
    ],
  },
  {
    heading: "Who answers, and how:",
    flags: [
      of("model"),
      of("effort"),
      of("client"),
      of("memory"),
      plain("simulate", "answer prompts from the workflow's *.sim.yaml; costs nothing", "start"),
      value("lost-session", "how", "when a conversation is gone, fail or go on fresh", {
        choices: ["fail", "fresh"],
        only: "resume",
      }),
      plain("take-over", "take a holder that cannot be seen from here for dead", "resume"),
    ],
  },
  {
    heading: "What a new run starts with:",
    flags: [
      value("start", "state", "begin at this state of a folder or zip", {
        standard: "1_START, else START",
        only: "start",
      }),
      value("input", "text", "{{input}} of the first state; - reads standard input", {
        only: "start",
      }),
      value("var", "name=value", "an attribute of the first agent: {{name}}, $name (repeatable)", {
        several: "kept",
        only: "start",
      }),
      value("workflow-id", "id", "name of the new run", {
        standard: "wf-DATE-xxxxxx",
        only: "new",
      }),
    ],
  },
  {
    heading: "What claude may do:",
    flags: [
      of("skipPermissions"),
      of("tools"),
      of("allowedTools"),
      of("disallowedTools"),
      of("protectWorkflow"),
      of("changedFiles"),
      plain("trust-project", TRUST_HELP),
    ],
  },
  {
    heading: "How long things may take:",
    flags: [
      of("timeoutMs"),
      of("toolTimeoutMs"),
      of("scriptTimeoutMs"),
      of("wait"),
      plain("park", "save the run and exit where it only waits for a time; see resume --due"),
      of("maxWaitMs"),
      of("maxOutageMs"),
      of("maxParallel"),
      of("maxAgents"),
      of("keepGoing"),
      of("onAsk"),
      plain("no-input", "do not ask at the terminal what agents ask: as where there is none"),
    ],
  },
  {
    heading: "What is kept and shown:",
    flags: [
      plain("detach", "run in the background, print the id, and give the terminal back"),
      value("state-dir", "dir", "where runs are kept, in place of .raymond"),
      of("debug"),
      of("notify"),
      of("workflowPath"),
      plain("json", "print events on standard output, one JSON object a line"),
      plain("quiet", "show only warnings, errors and the end"),
      plain("verbose", "show everything"),
      plain("plain", "draw nothing on a terminal: only lines, as for a screen reader or a file"),
    ],
  },
];

type Rest = Omit<ValueFlag, "kind" | "name" | "value" | "help">;

function value(name: string, placeholder: string, help: string, rest: Rest = {}): ValueFlag {
  return { kind: "value", name, value: placeholder, help, ...rest };
}

/** The flag of a setting (`src/config/settings.ts`). */
function of(field: keyof Settings): Flag {
  const option: Option = OPTIONS[field];
  const { help, value: placeholder } = option.flag;
  const standard = standardOf(option);
  const told = { name: flagName(option), help, ...(standard === undefined ? {} : { standard }) };
  if (placeholder === undefined) return { kind: "switch", setting: true, ...told };
  const several = option.list === true ? ({ several: "joined" } as const) : {};
  return { kind: "value", value: placeholder, ...told, ...several };
}

function plain(name: string, help: string, only?: Only): Switch {
  return { kind: "switch", name, help, setting: false, ...(only === undefined ? {} : { only }) };
}
