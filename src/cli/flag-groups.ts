/** Which of the two ways to drive a run a command is; `raymond` itself is both. */
export type Drive = "start" | "resume" | "both";

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
  readonly only?: Exclude<Drive, "both">;
}

/** An option that is on or off: it has its `--no-` form. */
interface Switch {
  readonly kind: "switch";
  readonly name: string;
  readonly help: string;
  readonly standard?: string;
  /** It is a setting of the run, which a file may have switched on: the help shows both forms. */
  readonly setting: boolean;
  readonly only?: Exclude<Drive, "both">;
}

export type Flag = ValueFlag | Switch;

/** Options that belong together, under one heading of the help. */
export interface FlagGroup {
  readonly heading: string;
  readonly flags: readonly Flag[];
}

/** The options of `raymond WORKFLOW` and `--resume`, in the order in which a newcomer needs them. */
export const FLAG_GROUPS: readonly FlagGroup[] = [
  {
    heading: "What may be spent:",
    flags: [
      value("budget", "usd", 'stop when the run has cost more, or "none"', { standard: "10.00" }),
      value("add-budget", "usd", "raise the run's budget by so much, and keep that", {
        conflicts: "budget",
        only: "resume",
      }),
      value("max-steps", "n", "stop the run after so many steps"),
    ],
  },
  {
    heading: "Who answers, and how:",
    flags: [
      value("model", "name", "model for states that name none: opus, sonnet, haiku or a full id"),
      value("effort", "level", "effort for states that name none: low, medium, high, xhigh, max"),
      value("claude", "path", "the client to run", { standard: "claude on PATH" }),
      setting("memory", "let claude keep memories between its conversations"),
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
        only: "start",
      }),
    ],
  },
  {
    heading: "What claude may do:",
    flags: [
      setting("dangerously-skip-permissions", "let claude do anything without asking"),
      value("tools", "list", "the only tools that claude has", { several: "joined" }),
      value("allowed-tools", "list", "tools that claude may use without asking", {
        several: "joined",
      }),
      value("disallowed-tools", "list", "tools that claude must not use", { several: "joined" }),
    ],
  },
  {
    heading: "How long things may take:",
    flags: [
      value("timeout", "duration", "end a prompt step without any event for so long, 0 for never", {
        standard: "10m",
      }),
      value("tool-timeout", "duration", "the same while a tool runs, 0 for never", {
        standard: "20m",
      }),
      value("script-timeout", "duration", "end a script step after so long, 0 for never", {
        standard: "0",
      }),
      setting("wait", "wait for the end of a usage limit or an outage", "on"),
      value("max-wait", "duration", "stop at a usage limit that lasts longer, 0 for never", {
        standard: "0",
      }),
      value("max-outage", "duration", "give up on an outage after so long; a resume begins anew", {
        standard: "2h",
      }),
      value("max-parallel", "n", "prompt steps at once; scripts are not counted", {
        standard: "16",
      }),
      value("max-agents", "n", "agents that may live at once", { standard: "1000" }),
      setting("keep-going", "when an agent fails, let the others run to their end"),
    ],
  },
  {
    heading: "What is kept and shown:",
    flags: [
      value("state-dir", "dir", "where runs are kept, in place of .raymond"),
      setting("debug", "write debug files", "on"),
      value(
        "notify",
        "command",
        "a command that gets one JSON event on standard input: limit, budget, failure, end",
      ),
      plain("json", "print events on standard output, one JSON object a line"),
      plain("quiet", "show only warnings, errors and the end"),
      plain("verbose", "show everything"),
    ],
  },
];

type Rest = Omit<ValueFlag, "kind" | "name" | "value" | "help">;

function value(name: string, placeholder: string, help: string, rest: Rest = {}): ValueFlag {
  return { kind: "value", name, value: placeholder, help, ...rest };
}

function setting(name: string, help: string, standard?: string): Switch {
  return {
    kind: "switch",
    name,
    help,
    setting: true,
    ...(standard === undefined ? {} : { standard }),
  };
}

function plain(name: string, help: string, only?: Exclude<Drive, "both">): Switch {
  return { kind: "switch", name, help, setting: false, ...(only === undefined ? {} : { only }) };
}
