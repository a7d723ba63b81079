import { FLEET_SUBCOMMANDS } from "./fleet-subcommands.ts";
import { RUN_SUBCOMMANDS } from "./run-subcommands.ts";
import type { Subcommand } from "./subcommand.ts";
import { JSON_FLAG, STATE_DIR, STATE_FLAG } from "./subcommand-options.ts";
import { WORKFLOW_SUBCOMMANDS } from "./workflow-subcommands.ts";

/** The commands, each with what may be named and which options it has (docs/contributing.md, "Add a command"), as the help lists them. */
export const SUBCOMMANDS: readonly Subcommand[] = [
  ...RUN_SUBCOMMANDS,
  {
    name: "tour",
    about: "watch a small workflow run; simulated, costs nothing, leaves nothing",
    options: { "--quiet": "show only its result", "--verbose": "show everything" },
    load: async () => (await import("./commands/tour.ts")).tourCommand,
  },
  ...WORKFLOW_SUBCOMMANDS,
  {
    name: "doctor",
    about: "check whether everything that a run needs is there; costs nothing",
    options: {
      "--fleet": "the fleet that RAYMOND_FLEET names as well",
      "--trust-project": "start a client that a config.toml in the git repository names",
      ...JSON_FLAG,
      ...STATE_DIR,
    },
    load: async () => (await import("./commands/doctor.ts")).doctorCommand,
  },
  ...FLEET_SUBCOMMANDS,
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
