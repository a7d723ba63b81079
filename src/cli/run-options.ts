import { type Command, Option } from "commander";

/** The options of `raymond WORKFLOW` and `--resume`, as they stand on the command line. */
export interface RunOptions {
  readonly budget?: string;
  readonly addBudget?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly dangerouslySkipPermissions?: true;
  readonly input?: string;
  readonly var?: readonly string[];
  readonly timeout?: string;
  readonly toolTimeout?: string;
  readonly scriptTimeout?: string;
  readonly maxParallel?: string;
  readonly keepGoing?: true;
  /** True with `--wait`, false with `--no-wait`. */
  readonly wait?: boolean;
  readonly maxOutage?: string;
  readonly maxWait?: string;
  readonly maxSteps?: string;
  readonly notify?: string;
  readonly tools?: string;
  readonly allowedTools?: string;
  readonly disallowedTools?: string;
  readonly claude?: string;
  readonly workflowId?: string;
  readonly stateDir?: string;
  readonly lostSession?: "fail" | "fresh";
  readonly simulate?: true;
  /** False with `--no-debug`. */
  readonly debug?: boolean;
  readonly json?: true;
  readonly quiet?: true;
  readonly verbose?: true;
}

/** Adds the options that a run takes, in the order in which a newcomer needs them. */
export function addRunOptions(command: Command): Command {
  return command
    .option("--budget <usd>", 'stop when the run has cost more, or "none" (default: 10.00)')
    .addOption(
      new Option(
        "--add-budget <usd>",
        "on resume: raise the run's budget by so much, and keep that",
      ).conflicts("budget"),
    )
    .option("--model <name>", "model for states that name none: opus, sonnet, haiku or a full id")
    .option("--effort <level>", "effort for states that name none: low, medium, high, xhigh, max")
    .option("--input <text>", "{{result}} of the first state; - reads standard input")
    .option(
      "--var <name=value>",
      "an attribute of the first agent: {{name}}, $name (repeatable)",
      collect,
    )
    .option("--dangerously-skip-permissions", "let claude do anything without asking")
    .option("--tools <list>", "the only tools that claude has", join)
    .option("--allowed-tools <list>", "tools that claude may use without asking", join)
    .option("--disallowed-tools <list>", "tools that claude must not use", join)
    .option(
      "--timeout <duration>",
      "end a prompt step without any event for so long (default: 10m; 0: never)",
    )
    .option("--tool-timeout <duration>", "the same while a tool runs (default: 20m; 0: never)")
    .option("--script-timeout <duration>", "end a script step after so long (default: never)")
    .option("--max-parallel <n>", "prompt steps at once (default: 16)")
    .option("--keep-going", "when an agent fails, let the others run to their end")
    .option("--wait", "wait for the end of a usage limit or an outage (default)")
    .option("--no-wait", "stop at a usage limit or an outage instead")
    .option("--max-outage <duration>", "give up on an outage after so long (default: 2h)")
    .option(
      "--max-wait <duration>",
      "stop at a usage limit that lasts longer (default: wait however long)",
    )
    .option("--max-steps <n>", "stop the run after so many steps")
    .option(
      "--notify <command>",
      "a command that gets one JSON event on standard input: limit, budget, failure, end",
    )
    .option("--claude <path>", "the client to run (default: claude on PATH)")
    .option("--workflow-id <id>", "name of the new run (default: wf-DATE-xxxxxx)")
    .option("--state-dir <dir>", "where runs are kept, in place of .raymond")
    .addOption(
      new Option(
        "--lost-session <how>",
        "on resume, when a conversation is gone: fail, or go on fresh",
      ).choices(["fail", "fresh"]),
    )
    .option("--simulate", "answer prompts from the workflow's *.sim.yaml; costs nothing")
    .option("--no-debug", "write no debug files")
    .option("--json", "print events on standard output, one JSON object a line")
    .option("--quiet", "show only warnings, errors and the end")
    .option("--verbose", "show everything");
}

function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

/** A list may be given in parts: the parts are one list. */
function join(value: string, earlier?: string): string {
  return earlier === undefined ? value : `${earlier},${value}`;
}
