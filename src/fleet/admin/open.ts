import path from "node:path";
import { logLine } from "../../log/event-log.ts";
import type { RunId } from "../../machine/run-state.ts";
import type { Caller, FleetRuns } from "../../wire/caller.ts";
import type { RunSource } from "../../wire/run-source.ts";
import { stateRoot } from "../../wire/stores.ts";
import { listMachines, type MachineStatus } from "../lease/machines.ts";
import { openQueues, type Queues } from "../queue/queues.ts";
import { type Database, type DatabaseOptions, openDatabase } from "../store/database.ts";
import { fleetRuns } from "../store/fleet-runs.ts";
import { openMirror } from "../store/mirror.ts";
import { changePlacement, findPlacement } from "../store/rows/placed-runs.ts";
import { requireSchema } from "../store/schema.ts";
import { postgresStore } from "../store/store.ts";
import { localWorkflow } from "../worker/local-workflow.ts";
import { deletingEverywhere } from "../worker/runs/delete-run.ts";
import { startNow } from "../worker/runs/fail-over.ts";

export type { MachineStatus as SeenMachine };

/** A fleet that somebody uses who is no worker of it. */
export interface OpenFleet extends FleetRuns {
  readonly database: Database;
  readonly store: RunSource;
  /** Opened when they are first asked for. */
  readonly queues: () => Promise<Queues>;
  machines(): Promise<readonly MachineStatus[]>;
  /** What was copied of a run goes away, until somebody looks at it again. */
  evict(id: RunId): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the fleet at a URL. Rejects with a RaymondError where it is not there, or not prepared; `patienceMs`:
 * so long one that goes away afterwards is waited for.
 */
export async function openFleetRuns(
  url: string,
  caller: Pick<Caller, "now" | "cwd">,
  { patienceMs = 0 }: Pick<DatabaseOptions, "patienceMs"> = {},
): Promise<OpenFleet> {
  const database = openDatabase(url, { patienceMs });
  await (patienceMs === 0 ? requireSchema(database) : requireFleet(url));
  let opened: Promise<Queues> | null = null;
  const queues = () => (opened ??= openQueues(database.address, caller.now));
  const withdraw = async (id: string) => {
    const row = await findPlacement(database, id);
    if (row === null) return;
    await changePlacement(database, id, { open: false, move: null });
    // Its holder had let go of the run before it heard that.
    await database.query("DELETE FROM raymond.control_requests WHERE run = $1", [id]);
    await (await queues()).cancel(id, row.placement);
  };
  let ends: (() => Promise<void>) | null = null;
  const mirror = await openMirror((root) => {
    const made = postgresStore(database, root);
    ends = () => made.close();
    const begin = async (id: string) => startNow(id, { database, queues: await queues() });
    const requeue = async (id: string) => {
      const { requeueStopped } = await import("../worker/resume.ts");
      await requeueStopped(id, {}, { database, queues, store }, caller);
      return true;
    };
    const queue = { withdraw, requeue, startNow: begin };
    const whole = deletingEverywhere(made, database, queues);
    const store = fleetRuns(database, whole, { print: logLine, queue, logFiles: false });
    return store;
  }, database);
  return {
    database,
    queues,
    machines: () => listMachines(database),
    evict: (id) => mirror.evict(id),
    store: {
      ...mirror.store,
      workflowCopy: async (run) => {
        const row = await findPlacement(database, run.id);
        if (row === null) return null;
        const { store, folder } = mirror;
        return localWorkflow(run, row, path.join(folder, "copies"), { database, store });
      },
      remains: async (runs, workerFolder, by) => {
        const { remainsOf } = await import("../worker/remains.ts");
        return remainsOf(runs, await stateRoot({ stateDir: workerFolder }, by), database, by);
      },
    },
    shown: database.address.shown,
    named: async (wanted) => {
      const rows = await database.query<{ id: string }>(
        wanted === "latest"
          ? "SELECT id FROM raymond.runs WHERE state IS NOT NULL ORDER BY started_at DESC, id DESC LIMIT 1"
          : `SELECT id FROM raymond.runs WHERE state IS NOT NULL AND
             (id = $1 OR starts_with(id, $1) OR right(id, 6) = $1)
             ORDER BY id = $1 DESC, started_at DESC LIMIT 50`,
        wanted === "latest" ? [] : [wanted],
      );
      return rows.map(({ id }) => id);
    },
    last: async () => {
      const rows = await database.query<{ id: string }>(
        "SELECT id FROM raymond.runs WHERE state IS NOT NULL ORDER BY started_at DESC, id DESC LIMIT 500",
      );
      return rows.map(({ id }) => id);
    },
    close: async () => {
      await ends?.();
      await (await opened)?.close();
      await database.close();
      await mirror.end();
    },
  };
}

/** Whoever waits for a run waits for its database as well, but not for one that was never there. */
async function requireFleet(url: string): Promise<void> {
  const database = openDatabase(url);
  try {
    await requireSchema(database);
  } finally {
    await database.close();
  }
}
