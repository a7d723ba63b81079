import { FLEET_EXAMPLES } from "./fleet-examples.ts";
import type { Subcommand } from "./subcommand.ts";
import { JSON_FLAG, STATE_FLAG, URL_FLAG } from "./subcommand-options.ts";

/** Those about the machines of a fleet, and where its runs are. */
export const FLEET_SUBCOMMANDS: readonly Subcommand[] = [
  {
    name: "fleet",
    about: "show how a fleet stands, prepare its database, or start one to try it",
    words: [
      [
        "[what]",
        "init: prepare the database; dev: start one that goes away with Ctrl-C; without it, an overview",
      ],
    ],
    options: {
      ...URL_FLAG,
      ...JSON_FLAG,
    },
    examples: FLEET_EXAMPLES.fleet,
    load: async () => (await import("./commands/fleet.ts")).fleetCommand,
  },
  {
    name: "worker",
    about: "take runs of a fleet on this machine, and go on with them until it is told to end",
    options: {
      "--pool <pool...>": "the pools to take runs of (default: default)",
      "--slots <n>": "so many runs at once (default: 20)",
      "--machine <machine>": "the id of this machine (default: that in its state folder)",
      "--accounts <file>":
        "the accounts that it has credentials for (default: ~/.config/raymond/accounts.toml)",
      "--account <account...>": "only these of them (default: all)",
      "--step-user <user>": "run steps as this user, NAME or UID:GID (only as root)",
      "--print-unit": "print a unit of systemd that runs it, and end",
      "--poll <duration>": "look for runs so often, 500ms say (default: 1s)",
      "--ttl <duration>": "be taken for dead when not heard for so long, 2m say (default: 30s)",
      ...URL_FLAG,
      [STATE_FLAG]: "where copies, workspaces and files of its runs are, in place of .raymond",
    },
    examples: FLEET_EXAMPLES.worker,
    load: async () => (await import("./commands/worker.ts")).workerCommand,
  },
  {
    name: "machines",
    about: "show the machines of a fleet: whether they work, and what they have in hand",
    options: { "--json": "print one JSON object a line", ...URL_FLAG },
    load: async () => (await import("./commands/machines.ts")).machinesCommand,
  },
  {
    name: "limits",
    about: "show what the accounts of a fleet may do and do, or set it",
    words: [
      ["[set]", "set: change the limits of an account, for all workers from now on"],
      ["[account]", "its name"],
    ],
    options: {
      "--runs <n>": "so many runs of it go on at once; none: any number",
      "--rate <n/duration>": "so many begin in any such span, 10/1h say; none: any number",
      "--slots <n>": "so many of its clients run at once; none: any number",
      "--per-day <usd>": "its prompts cost so much on one day (UTC) at most; none: any amount",
      "--json": "print one JSON object a line",
      ...URL_FLAG,
    },
    examples: FLEET_EXAMPLES.limits,
    load: async () => (await import("./commands/limits.ts")).limitsCommand,
  },
  {
    name: "schedules",
    about: "show the schedules of a fleet: when each is due, and what it has begun last",
    words: [
      ["[what]", "remove, pause or resume one, in place of that"],
      ["[schedule]", "its name"],
    ],
    options: { "--json": "print one JSON object a line", ...URL_FLAG },
    examples: FLEET_EXAMPLES.schedules,
    load: async () => (await import("./commands/schedules.ts")).schedulesCommand,
  },
  {
    name: "drain",
    about: "take a machine of a fleet out of service, or return it",
    words: [["<machine>", "its id, as raymond machines shows it"]],
    options: {
      "--move": "move its runs to other machines now, where their files are not only there",
      "--end": "return it to service",
      ...JSON_FLAG,
      ...URL_FLAG,
    },
    examples: FLEET_EXAMPLES.drain,
    load: async () => (await import("./commands/drain.ts")).drainCommand,
  },
  {
    name: "move",
    about: "move a run to another machine of a fleet",
    names: "run",
    options: {
      "--to <machine>": "the machine, which alone may run it from now on",
      ...JSON_FLAG,
      ...URL_FLAG,
    },
    examples: FLEET_EXAMPLES.move,
    load: async () => (await import("./commands/move.ts")).moveCommand,
  },
];
