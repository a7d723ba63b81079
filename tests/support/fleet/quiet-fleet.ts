import { runCommandLine } from "../../../src/cli/parse/tree.ts";
import type { Database } from "../../../src/fleet/store/database.ts";
import { tempProject } from "../project.ts";
import { testShell } from "../test-shell.ts";
import { fleetUrl, initializedUrl, openedDatabase } from "./postgres.ts";

/** A fleet whose machines are only database rows. */
export interface QuietFleet {
  readonly url: string;
  readonly database: Database;
  readonly dir: string;
  /** Runs a command in this process and returns its output. */
  readonly say: Say;
  /** The same with another database URL, or without one (null). */
  readonly sayTo: (url: string | null) => Say;
  /** Adds a machine with a recent heartbeat. */
  readonly machine: (id: string, of?: Partial<Machine>) => Promise<void>;
}

type Say = (...words: readonly string[]) => Promise<Said>;

interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Machine {
  readonly pools: readonly string[];
  readonly accounts: readonly string[];
  readonly slots: number;
}

/** A fleet with a workflow `w`, without machines and queues. */
export async function quietFleet(): Promise<QuietFleet> {
  return fleetAt(await fleetUrl());
}

/** A fleet with a workflow `w` and queues, without machines. */
export async function initializedFleet(): Promise<QuietFleet> {
  return fleetAt(await initializedUrl());
}

async function fleetAt(url: string): Promise<QuietFleet> {
  const database = openedDatabase(url);
  const { dir } = await tempProject({ "w/1_START.sh": 'echo "<result>done</result>"' });
  let machines = 0;
  const sayTo =
    (named: string | null): Say =>
    async (...words) => {
      const shell = testShell(dir, named === null ? {} : { RAYMOND_FLEET: named });
      await runCommandLine(["node", "raymond", ...words], shell);
      return { code: shell.code(), out: shell.stdout(), err: shell.stderr() };
    };
  return {
    url,
    database,
    dir,
    say: sayTo(url),
    sayTo,
    machine: async (id, { pools = ["default"], accounts = [], slots = 20 } = {}) => {
      machines += 1;
      await database.query(
        `WITH h AS (INSERT INTO raymond.holders (lock_key, machine, host, pid, identity, place)
           VALUES ($1, $2, 'h', 1, 'i', '{"ttlMs": 3600000}') RETURNING id)
         INSERT INTO raymond.machines (id, holder, pools, accounts, slots) SELECT $2, id, $3, $4, $5 FROM h`,
        [machines, id, pools, accounts, slots],
      );
    },
  };
}
