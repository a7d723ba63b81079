import type { Command } from "commander";
import type { Shell } from "../shell.ts";

/**
 * The summary of a command, and its file, which is loaded when the command is named: `define` adds the arguments,
 * options and action.
 */
type CommandEntry = readonly [
  summary: string,
  load: () => Promise<{ readonly define: (command: Command, shell: Shell) => unknown }>,
  subcommands?: CommandTable,
];
export interface CommandTable {
  readonly [name: string]: CommandEntry;
}

const FLEET = {
  init: ["Create or upgrade the tables of a fleet", () => import("./fleet/init.ts")],
  dev: ["Start a temporary database for a fleet", () => import("./fleet/dev.ts")],
  workers: ["List the workers of a fleet", () => import("./fleet/workers.ts")],
  limits: ["Show or set the limits of accounts", () => import("./fleet/limits.ts")],
  schedules: ["List or change schedules", () => import("./fleet/schedules.ts")],
  drain: ["Take a machine out of service, or return it", () => import("./fleet/drain.ts")],
  move: ["Move a run to another machine", () => import("./fleet/move.ts")],
  audit: ["List the commands that people gave", () => import("./fleet/audit.ts")],
} satisfies CommandTable;

/** The commands by the headings under which `raymond --help` lists them. */
export const COMMANDS: Readonly<Record<string, CommandTable>> = {
  Run: {
    run: ["Run a workflow (same as: raymond WORKFLOW)", () => import("./run/run.ts")],
    resume: [
      "Continue a run that was interrupted, paused or failed",
      () => import("./run/resume.ts"),
    ],
    rerun: ["Start a new run from an earlier step of a run", () => import("./run/rerun.ts")],
    restore: ["Restore the files of a step", () => import("./run/restore.ts")],
    submit: ["Submit a run to a fleet", () => import("./fleet/submit.ts")],
  },
  Inspect: {
    list: ["List runs", () => import("./inspect/list.ts")],
    status: ["Show the status of a run", () => import("./inspect/status.ts")],
    why: ["Explain what a run is waiting for, or why it failed", () => import("./inspect/why.ts")],
    show: ["Show the steps of a run, or one step in detail", () => import("./inspect/show.ts")],
    logs: ["Print the output of a run (-f to follow)", () => import("./inspect/logs.ts")],
    diff: ["Show what steps changed in the files", () => import("./inspect/diff.ts")],
    cost: ["Show cost by agent, state, model and coding agent", () => import("./inspect/cost.ts")],
    report: ["Write a report (HTML or Markdown)", () => import("./inspect/report.ts")],
    "diff-runs": ["Compare two runs of a workflow", () => import("./inspect/diff-runs.ts")],
    serve: ["Open the dashboard in a browser", () => import("./inspect/serve.ts")],
  },
  Control: {
    stop: ["Stop a run and everything it started", () => import("./control/stop.ts")],
    answer: ["Answer an agent's question", () => import("./control/answer.ts")],
    set: ["End a failed or stuck step with a result", () => import("./control/set.ts")],
    attach: ["Watch a run live (q to detach)", () => import("./inspect/attach.ts")],
    retry: [
      "End a wait now: a delay, a usage limit or an outage",
      () => import("./control/retry.ts"),
    ],
    open: ["Open an agent's conversation", () => import("./control/open.ts")],
    prune: ["Delete completed runs, or the given runs", () => import("./control/prune.ts")],
  },
  Author: {
    init: ["Create a workflow from a template", () => import("./author/init.ts")],
    new: ["Create a state in a workflow", () => import("./author/new.ts")],
    lint: ["Find problems in workflows", () => import("./author/lint.ts")],
    graph: ["Draw a workflow", () => import("./author/graph.ts")],
    explain: ["Explain what a workflow does, state by state", () => import("./author/explain.ts")],
    test: ["Run workflow tests without calling a model", () => import("./author/test.ts")],
    replay: [
      "Re-evaluate a recorded run against the current workflow",
      () => import("./author/replay.ts"),
    ],
    tag: ["Print a tag with escaped values, for scripts", () => import("./author/tag.ts")],
    merge: ["Merge the branches of agents", () => import("./author/merge.ts")],
    pack: [
      "Pack a workflow into a zip archive named after its hash",
      () => import("./author/pack.ts"),
    ],
    convert: [
      "Convert a workflow folder to a single file, or back",
      () => import("./author/convert.ts"),
    ],
  },
  "Set up": {
    doctor: ["Check the environment", () => import("./setup/doctor.ts")],
    trust: [
      "Trust the settings, skills and saved runs of this project",
      () => import("./setup/trust.ts"),
    ],
    tour: ["Watch a simulated example run (free)", () => import("./run/tour.ts")],
    completion: ["Print a shell completion script", () => import("./setup/completion.ts")],
    schema: ["Print a JSON schema for editors", () => import("./setup/schema.ts")],
    help: ["Show help for a command, a workflow or a topic", () => import("./setup/help.ts")],
  },
  Fleet: {
    worker: ["Run workflows of a fleet on this machine", () => import("./fleet/worker.ts")],
    fleet: ["Show the status of a fleet", () => import("./fleet/fleet.ts"), FLEET],
  },
};

/** Commands that have `--state-dir`, so that hints repeat that option. */
export const STATE_DIR_COMMANDS: readonly string[] = [
  ...["run", "resume", "rerun", "restore", "submit", "list", "status", "why", "show", "logs"],
  ...["diff", "cost", "report", "diff-runs", "serve", "stop", "answer", "set", "attach", "retry"],
  ...["open", "prune"],
  ...["graph", "explain", "test", "replay", "doctor", "trust", "worker"],
];
