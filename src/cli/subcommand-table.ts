import type { Command } from "commander";
import type { Shell } from "./shell.ts";

/** A command that looks at runs, ends them or takes them away, or is about raymond itself. */
export interface Subcommand {
  readonly name: string;
  readonly about: string;
  /** What may be named: one run, else the last one; or several, else none; or the one that asks; or the one that goes on; or what must be, a workflow. */
  readonly names?: "run" | "runs" | "workflow" | "question" | "live";
  /** What else may be named, behind that, and its help: `[word]`, or `<word>` where it must be. */
  readonly words?: readonly (readonly [word: string, help: string])[];
  /** What each option does, by its flags. */
  readonly options: Readonly<Record<string, string>>;
  /** It gets what is named, the options, and the command tree. A number that it returns is the exit code. Loaded when it is called. */
  readonly load: () => Promise<(options: never, shell: Shell, root: Command) => Promise<unknown>>;
}

const STATE_FLAG = "--state-dir <dir>";
const STATE_DIR = { [STATE_FLAG]: "where the runs are, in place of .raymond" };
/** Whether the runs of a fleet are meant. */
export const FLEET_FLAGS = {
  "--fleet": "the runs of a fleet, which RAYMOND_FLEET names; where that is set, they are meant",
  "--no-fleet": "the runs of this project all the same",
};
/** Of commands that look at runs wherever they are, and tell them what to do. */
const RUNS = { ...STATE_DIR, ...FLEET_FLAGS };
const URL_FLAG = {
  "--url <url>": "the database, postgresql://…, in place of what RAYMOND_FLEET says",
};
const JSON_FLAG = { "--json": "print one JSON object" };
const TAKE_OVER = { "--take-over": "take a holder that cannot be seen from here for dead" };

/** The commands, each with what may be named and which options it has (docs/contributing.md, "Add a command"). */
export const SUBCOMMANDS: readonly Subcommand[] = [
  {
    name: "list",
    about: "list the runs of this project",
    options: {
      "--all": "all of them, and not only the last 20",
      "--status <status>": "only those with this status, such as failed or crashed",
      "--json": "print one JSON object a line",
      ...RUNS,
    },
    load: async () => (await import("./commands/list.ts")).listCommand,
  },
  {
    name: "status",
    about: "show where a run stands",
    names: "run",
    options: { "--json": "print the state as JSON", ...RUNS },
    load: async () => (await import("./commands/status.ts")).statusCommand,
  },
  {
    name: "why",
    about: "say what a run waits for or failed of, and the command that gets it going",
    names: "run",
    words: [["[agent]", "only this one, and whom it waits for"]],
    options: { ...JSON_FLAG, ...RUNS },
    load: async () => (await import("./commands/why.ts")).whyCommand,
  },
  {
    name: "show",
    about: "show the steps of a run, or one of them whole: its prompt, what was said, its output",
    names: "run",
    options: {
      "--step <number>": "all that there is of this one, by the number of its process",
      "--agent <agent>": "only the steps of this agent",
      "--limit <n>": "so many, the last ones; 0: all (default: 50)",
      "--before <number>": "those before this one",
      ...JSON_FLAG,
      ...RUNS,
    },
    load: async () => (await import("./commands/show.ts")).showCommand,
  },
  {
    name: "report",
    about: "write a page about a run, for people: why, ways, steps, questions, cost, results",
    names: "run",
    options: {
      "--html": "as one file that a browser shows, with the picture and the agents in time",
      "--md": "as Markdown, which is what it is without this as well",
      "--json": "print what it tells as one JSON object",
      "-o, --output <file>":
        "write it to this file, in place of what is there; one that ends in .html is a page",
      "--github-summary": "add it to the summary of the GitHub job that this is a step of",
      ...STATE_DIR,
    },
    load: async () => (await import("./commands/report.ts")).reportCommand,
  },
  {
    name: "diff-runs",
    about: "compare two runs of a workflow: where they went another way, cost, time",
    words: [
      ["<run>", "id, prefix, tail, path of the state file, or latest"],
      ["<other>", "the run to compare it with, named so too"],
    ],
    options: { ...JSON_FLAG, ...STATE_DIR },
    load: async () => (await import("./commands/diff-runs.ts")).diffRunsCommand,
  },
  {
    name: "logs",
    about: "show again what a run has shown, or what it shows now",
    names: "run",
    options: {
      "-f, --follow": "go on with what comes, until nobody runs it any more",
      "--agent <agent>": "only this one, and what concerns the whole run",
      "--since <duration>": "only what was told in the last so long, such as 10m",
      "--verbose": "show everything",
      "--json": "print the events, one JSON object a line",
      ...RUNS,
    },
    load: async () => (await import("./commands/logs.ts")).logsCommand,
  },
  {
    name: "attach",
    about: "watch a run of any process, as on its own terminal, and leave it when you like",
    names: "live",
    options: {
      "--verbose": "show everything",
      "--plain": "draw nothing on a terminal: only lines",
      "--json": "print the events, one JSON object a line",
      ...STATE_DIR,
    },
    load: async () => (await import("./commands/attach.ts")).attachCommand,
  },
  {
    name: "cost",
    about: "show where the money of a run went: by agent, state and model",
    names: "run",
    options: {
      "--context": "also how full each conversation is",
      ...JSON_FLAG,
      ...RUNS,
    },
    load: async () => (await import("./commands/cost.ts")).costCommand,
  },
  {
    name: "stop",
    about: "end a run, and all processes that it has started",
    names: "run",
    options: {
      "--after-steps": "let the steps in flight end by themselves first, and do not wait for that",
      "--timeout <duration>": "kill what is in flight after so long (default: 90s)",
      ...TAKE_OVER,
      ...RUNS,
    },
    load: async () => (await import("./commands/stop.ts")).stopCommand,
  },
  {
    name: "retry-now",
    about: "let a run that waits for a usage limit or an outage try again now",
    names: "run",
    options: RUNS,
    load: async () => (await import("./commands/retry-now.ts")).retryNowCommand,
  },
  {
    name: "wake",
    about: "let agents that wait for a time, by a delay, go on now",
    names: "run",
    words: [["[agent]", "only this one; else all that wait so"]],
    options: RUNS,
    load: async () => (await import("./commands/wake.ts")).wakeCommand,
  },
  {
    name: "answer",
    about: "answer what an agent asks",
    names: "question",
    words: [["[text]", "the answer, alone or behind the run; - reads standard input"]],
    options: {
      "--agent <agent>": "the agent that asks, where several of the run do",
      "--resume": "go on with the run, where no process does",
      ...JSON_FLAG,
      ...RUNS,
    },
    load: async () => (await import("./commands/answer.ts")).answerCommand,
  },
  {
    name: "open",
    about: "talk in the conversation of an agent, in this terminal; it goes on from what was said",
    names: "run",
    words: [["[agent]", "this one; else the only one that there is"]],
    options: {
      "--now": "interrupt the prompt that it works on, and do not wait until that ends",
      ...STATE_DIR,
    },
    load: async () => (await import("./commands/open.ts")).openCommand,
  },
  {
    name: "prune",
    about: "delete runs: completed ones, or those that are named",
    names: "runs",
    options: {
      "--all": "also those that have failed or stopped, and could still be resumed",
      "--older-than <duration>": "only those that have not changed for so long, such as 14d",
      "--keep <n>": "keep so many of them, those that have changed last",
      ...TAKE_OVER,
      "--dry-run": "say what would be deleted, and delete nothing",
      "-y, --yes": "do not ask",
      ...RUNS,
    },
    load: async () => (await import("./commands/prune.ts")).pruneCommand,
  },
  {
    name: "serve",
    about: "show runs in a browser: their graph, agents, steps and cost, as they happen",
    words: [["[folders...]", "projects, or state folders (default: this project)"]],
    options: {
      "--port <port>": "listen there (default: any that is free)",
      "--open": "open it in your browser",
      "--allow-control": "let the page start, answer, stop and resume runs, and not only show them",
      "--host <address>": "listen on this address of the machine (default: 127.0.0.1)",
      ...JSON_FLAG,
      ...STATE_DIR,
    },
    load: async () => (await import("./commands/serve.ts")).serveCommand,
  },
  {
    name: "tour",
    about: "watch a small workflow run; simulated, costs nothing, leaves nothing",
    options: { "--quiet": "show only its result", "--verbose": "show everything" },
    load: async () => (await import("./commands/tour.ts")).tourCommand,
  },
  {
    name: "init",
    about: "write a workflow to begin with, from a template; without one, list the templates",
    words: [
      ["[template]", "such as ralph"],
      ["[folder]", "where to put it: a new folder (default: one that is called as the template)"],
    ],
    options: {
      "--skill": "write the skill by which Claude Code knows how to write workflows",
      ...JSON_FLAG,
    },
    load: async () => (await import("./commands/init.ts")).initCommand,
  },
  {
    name: "new",
    about: "write a file of a workflow to begin with: a state, in the current folder",
    words: [
      ["<what>", "state"],
      ["<name>", "of the state: a prompt (NAME or NAME.md), or a script (NAME.sh, NAME.bat)"],
    ],
    options: {
      "--to <state...>": "where it may lead, by goto; else it gives a result",
      "--in <folder>": "the folder of the workflow, in place of the current one",
      ...JSON_FLAG,
    },
    load: async () => (await import("./commands/new.ts")).newCommand,
  },
  {
    name: "lint",
    about: "find what is wrong with workflows, without running any",
    words: [["<paths...>", "folders, zips, .yaml files with states, or state files"]],
    options: {
      ...JSON_FLAG,
      "--format <format>": "text, json, sarif or github (default: text)",
      "--fix": "mend in the files what is safe to mend",
      "--watch": "look again whenever a file has changed",
      "--max-warnings <n>": "end with 2 also where there are more warnings",
      "--platform <platform>": "where they are to run, unix or windows (default: here)",
      "--var <name...>": "a variable that is given by --var, and so fills a placeholder",
    },
    load: async () => (await import("./commands/lint.ts")).lintCommand,
  },
  {
    name: "convert",
    about: "turn the folder of a workflow into one file, or that file into a folder",
    names: "workflow",
    options: { "-o, --output <path>": "the file or the folder to write; else a file is printed" },
    load: async () => (await import("./commands/convert.ts")).convertCommand,
  },
  {
    name: "graph",
    about: "draw a workflow: its states and where each can lead; or a run of it",
    words: [["[workflow]", "a folder, zip, .yaml or state file (default: the current folder)"]],
    options: {
      "--format <format>": "mermaid, dot, svg or json (default: mermaid, or as the file ends)",
      "--output <file>": "write it to this file, in place of what is there",
      "--run <run>":
        "lay a run over it: visits, time and cost; without a workflow, that of the run",
      "--json": "the same as --format json",
      ...STATE_DIR,
    },
    load: async () => (await import("./commands/graph.ts")).graphCommand,
  },
  {
    name: "explain",
    about: "say in sentences what a workflow does, state by state",
    words: [["[workflow]", "a folder, zip, .yaml or state file (default: the current folder)"]],
    options: { ...JSON_FLAG, ...STATE_DIR },
    load: async () => (await import("./commands/explain.ts")).explainCommand,
  },
  {
    name: "pack",
    about: "pack the folder of a workflow into a zip whose name promises its hash",
    words: [["<folder>", "the folder of a workflow, with all that its scripts need"]],
    options: {
      "--output <path>": "the file to write, or the folder to put it in (default: the current one)",
      ...JSON_FLAG,
    },
    load: async () => (await import("./commands/pack.ts")).packCommand,
  },
  {
    name: "test",
    about: "run the tests of workflows (*.test.yaml): no model, no cost, no time that passes",
    words: [["[paths...]", "folders, workflows or test files; else the current folder"]],
    options: {
      "--run-scripts": "really run the scripts that a test gives no outputs for",
      "--watch": "run them again whenever a file beside them has changed",
      "--update": "write what has happened into the tests that expect something else",
      "--coverage [percent]": "show what the tests have come through; fail below so many percent",
      "--format <format>": "text, json, or junit for CI services",
      "--json": "the same as --format json",
      "--from-run <run>": "write a test that goes as this run has gone, and run no other",
      "--output <path>": "where that test is written; else beside its workflow",
      ...STATE_DIR,
    },
    load: async () => (await import("./commands/test.ts")).testCommand,
  },
  {
    name: "replay",
    about: "judge what a run has recorded anew, by its workflow as it is now; costs nothing",
    names: "run",
    options: {
      "--workflow <path>": "judge by another workflow than that of the run",
      ...JSON_FLAG,
      ...STATE_DIR,
    },
    load: async () => (await import("./commands/replay.ts")).replayCommand,
  },
  {
    name: "doctor",
    about: "check whether everything that a run needs is there; costs nothing",
    options: {
      "--fleet": "the fleet that RAYMOND_FLEET names as well",
      ...JSON_FLAG,
      ...STATE_DIR,
    },
    load: async () => (await import("./commands/doctor.ts")).doctorCommand,
  },
  {
    name: "fleet",
    about: "prepare a database for runs on many machines, or start one to try it",
    words: [["<what>", "init: prepare the database; dev: start one that goes away with Ctrl-C"]],
    options: {
      ...URL_FLAG,
      ...JSON_FLAG,
    },
    load: async () => (await import("./commands/fleet.ts")).fleetCommand,
  },
  {
    name: "worker",
    about: "take runs of a fleet on this machine, and go on with them until it is told to end",
    options: {
      "--pool <name...>": "the pools to take runs of (default: default)",
      "--slots <n>": "so many runs at once (default: 20)",
      "--machine <id>": "the id of this machine (default: that in its state folder)",
      "--print-unit": "print a unit of systemd that runs it, and end",
      "--poll <duration>": "look for runs so often (default: 1s)",
      "--ttl <duration>": "be taken for dead when not heard for so long (default: 30s)",
      ...URL_FLAG,
      ...STATE_DIR,
    },
    load: async () => (await import("./commands/worker.ts")).workerCommand,
  },
  {
    name: "machines",
    about: "show the machines of a fleet: whether they work, and what they have in hand",
    options: { "--json": "print one JSON object a line", ...URL_FLAG },
    load: async () => (await import("./commands/machines.ts")).machinesCommand,
  },
  {
    name: "drain",
    about: "let a machine of a fleet take no more runs; its worker ends when the last one has",
    words: [["<machine>", "its id, as raymond machines shows it"]],
    options: {
      "--move": "let others go on with its runs now, as far as those can travel",
      "--end": "let it take runs again",
      ...URL_FLAG,
    },
    load: async () => (await import("./commands/drain.ts")).drainCommand,
  },
  {
    name: "move",
    about: "let another machine of a fleet go on with a run",
    names: "run",
    options: { "--to <machine>": "the machine, which alone may take it from now on", ...URL_FLAG },
    load: async () => (await import("./commands/move.ts")).moveCommand,
  },
  {
    name: "completion",
    about: "print what lets a shell complete commands, flags, workflows, runs and states",
    words: [
      ["<shell>", "bash, zsh, fish or powershell"],
      ["[words...]", "what such a script asks with: words -- WORDS"],
    ],
    options: {},
    load: async () => (await import("./commands/completion.ts")).completionCommand,
  },
];

/** Commands that look for runs, so that they can be told where. */
export const ABOUT_RUNS: readonly string[] = SUBCOMMANDS.filter(
  ({ options }) => STATE_FLAG in options,
).map(({ name }) => name);
