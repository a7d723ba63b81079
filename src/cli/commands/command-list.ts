import type { Command } from "commander";
import type { Shell } from "../shell.ts";

/** Adds the arguments, options and action of a command. */
export type DefineCommand = (command: Command, shell: Shell) => void;

/** The headings under which `raymond --help` lists the commands, in this order. */
export const COMMAND_GROUPS = ["Run", "Inspect", "Control", "Author", "Set up", "Fleet"] as const;

/** A command as the help lists it. The rest of it is in its file, which is loaded when the command is named. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Only `raymond help all` lists it. */
  readonly more?: true;
  /** It has `--state-dir`, so that hints repeat that option. */
  readonly hasStateDir?: true;
  /** Commands below this one, such as `raymond fleet init`. */
  readonly commands?: readonly CommandEntry[];
  readonly load: () => Promise<{ readonly define: DefineCommand }>;
}

export const COMMANDS: Readonly<Record<(typeof COMMAND_GROUPS)[number], readonly CommandEntry[]>> =
  {
    Run: [
      {
        name: "run",
        summary: "Run a workflow (same as: raymond WORKFLOW)",
        hasStateDir: true,
        load: () => import("./run/run.ts"),
      },
      {
        name: "resume",
        summary: "Continue a run that was interrupted, paused or failed",
        hasStateDir: true,
        load: () => import("./run/resume.ts"),
      },
      {
        name: "rerun",
        summary: "Start a new run from an earlier step of a run",
        hasStateDir: true,
        load: () => import("./run/rerun.ts"),
      },
      {
        name: "submit",
        summary: "Submit a run to a fleet",
        hasStateDir: true,
        load: () => import("./fleet/submit.ts"),
      },
    ],
    Inspect: [
      {
        name: "list",
        summary: "List runs",
        hasStateDir: true,
        load: () => import("./inspect/list.ts"),
      },
      {
        name: "status",
        summary: "Show the status of a run",
        hasStateDir: true,
        load: () => import("./inspect/status.ts"),
      },
      {
        name: "why",
        summary: "Explain what a run is waiting for, or why it failed",
        hasStateDir: true,
        load: () => import("./inspect/why.ts"),
      },
      {
        name: "show",
        summary: "Show the steps of a run, or one step in detail",
        hasStateDir: true,
        load: () => import("./inspect/show.ts"),
      },
      {
        name: "logs",
        summary: "Print the output of a run (-f to follow)",
        hasStateDir: true,
        load: () => import("./inspect/logs.ts"),
      },
      {
        name: "cost",
        summary: "Show cost by agent, state and model",
        hasStateDir: true,
        load: () => import("./inspect/cost.ts"),
      },
      {
        name: "report",
        summary: "Write a report (HTML or Markdown)",
        more: true,
        hasStateDir: true,
        load: () => import("./inspect/report.ts"),
      },
      {
        name: "diff-runs",
        summary: "Compare two runs of a workflow",
        more: true,
        hasStateDir: true,
        load: () => import("./inspect/diff-runs.ts"),
      },
      {
        name: "serve",
        summary: "Open the dashboard in a browser",
        hasStateDir: true,
        load: () => import("./inspect/serve.ts"),
      },
    ],
    Control: [
      {
        name: "stop",
        summary: "Stop a run and everything it started",
        hasStateDir: true,
        load: () => import("./control/stop.ts"),
      },
      {
        name: "answer",
        summary: "Answer an agent's question",
        hasStateDir: true,
        load: () => import("./control/answer.ts"),
      },
      {
        name: "attach",
        summary: "Watch a run live (q to detach)",
        hasStateDir: true,
        load: () => import("./inspect/attach.ts"),
      },
      {
        name: "retry",
        summary: "End a wait now: a delay, a usage limit or an outage",
        more: true,
        hasStateDir: true,
        load: () => import("./control/retry.ts"),
      },
      {
        name: "open",
        summary: "Open an agent's conversation",
        more: true,
        hasStateDir: true,
        load: () => import("./control/open.ts"),
      },
      {
        name: "prune",
        summary: "Delete completed runs, or the given runs",
        more: true,
        hasStateDir: true,
        load: () => import("./control/prune.ts"),
      },
    ],
    Author: [
      {
        name: "init",
        summary: "Create a workflow from a template",
        load: () => import("./author/init.ts"),
      },
      {
        name: "new",
        summary: "Create a state in a workflow",
        more: true,
        load: () => import("./author/new.ts"),
      },
      {
        name: "lint",
        summary: "Find problems in workflows",
        load: () => import("./author/lint.ts"),
      },
      {
        name: "graph",
        summary: "Draw a workflow",
        hasStateDir: true,
        load: () => import("./author/graph.ts"),
      },
      {
        name: "explain",
        summary: "Explain what a workflow does, state by state",
        more: true,
        hasStateDir: true,
        load: () => import("./author/explain.ts"),
      },
      {
        name: "test",
        summary: "Run workflow tests without calling a model",
        hasStateDir: true,
        load: () => import("./author/test.ts"),
      },
      {
        name: "replay",
        summary: "Re-evaluate a recorded run against the current workflow",
        more: true,
        hasStateDir: true,
        load: () => import("./author/replay.ts"),
      },
      {
        name: "tag",
        summary: "Print a tag with escaped values, for scripts",
        more: true,
        load: () => import("./author/tag.ts"),
      },
      {
        name: "pack",
        summary: "Pack a workflow into a zip archive named after its hash",
        more: true,
        load: () => import("./author/pack.ts"),
      },
      {
        name: "convert",
        summary: "Convert a workflow folder to a single file, or back",
        more: true,
        load: () => import("./author/convert.ts"),
      },
    ],
    "Set up": [
      {
        name: "doctor",
        summary: "Check the environment",
        hasStateDir: true,
        load: () => import("./setup/doctor.ts"),
      },
      {
        name: "tour",
        summary: "Watch a simulated example run (free)",
        load: () => import("./run/tour.ts"),
      },
      {
        name: "completion",
        summary: "Print a shell completion script",
        more: true,
        load: () => import("./setup/completion.ts"),
      },
      {
        name: "help",
        summary: "Show help for a command, a workflow or a topic",
        more: true,
        load: () => import("./setup/help.ts"),
      },
    ],
    Fleet: [
      {
        name: "worker",
        summary: "Run workflows of a fleet on this machine",
        more: true,
        hasStateDir: true,
        load: () => import("./fleet/worker.ts"),
      },
      {
        name: "fleet",
        summary: "Show the status of a fleet",
        more: true,
        load: () => import("./fleet/fleet.ts"),
        commands: [
          {
            name: "init",
            summary: "Create or upgrade the tables of a fleet",
            load: () => import("./fleet/init.ts"),
          },
          {
            name: "dev",
            summary: "Start a temporary database for a fleet",
            load: () => import("./fleet/dev.ts"),
          },
          {
            name: "workers",
            summary: "List the workers of a fleet",
            load: () => import("./fleet/workers.ts"),
          },
          {
            name: "limits",
            summary: "Show or set the limits of accounts",
            load: () => import("./fleet/limits.ts"),
          },
          {
            name: "schedules",
            summary: "List or change schedules",
            load: () => import("./fleet/schedules.ts"),
          },
          {
            name: "drain",
            summary: "Take a machine out of service, or return it",
            load: () => import("./fleet/drain.ts"),
          },
          {
            name: "move",
            summary: "Move a run to another machine",
            load: () => import("./fleet/move.ts"),
          },
        ],
      },
    ],
  };

/** Earlier names of commands. They still work, and no help lists them. */
export const OLD_NAMES: Readonly<Record<string, readonly [string, ...string[]]>> = {
  wake: ["retry"],
  "retry-now": ["retry"],
  machines: ["fleet", "workers"],
  limits: ["fleet", "limits"],
  schedules: ["fleet", "schedules"],
  drain: ["fleet", "drain"],
  move: ["fleet", "move"],
};

export const ALL_COMMANDS: readonly CommandEntry[] = COMMAND_GROUPS.flatMap(
  (group) => COMMANDS[group],
);

/** Names of commands that have `--state-dir`. */
export const STATE_DIR_COMMANDS: readonly string[] = [
  ...ALL_COMMANDS.filter(({ hasStateDir }) => hasStateDir === true).map(({ name }) => name),
  "wake",
  "retry-now",
];
