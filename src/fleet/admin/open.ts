import { rm } from "node:fs/promises";
import path from "node:path";
import type { Store } from "../../engine/ports/store.ts";
import type { RunId, RunState } from "../../machine/model/run-state.ts";
import type { Caller, FleetRuns } from "../../wire/caller.ts";
import type { RunSource } from "../../wire/run-source.ts";
import { stateRoot } from "../../wire/stores.ts";
import { listMachines, type MachineStatus } from "../lease/machines.ts";
import { openQueues, type Queues } from "../queue/queues.ts";
import { type Database, openDatabase } from "../store/database.ts";
import { fleetRuns } from "../store/fleet-runs.ts";
import { openMirror } from "../store/mirror.ts";
import { changePlacement, findPlacement } from "../store/rows/placed-runs.ts";
import { requireSchema } from "../store/schema.ts";
import { type PostgresStore, postgresStore } from "../store/store.ts";
import { localWorkflow } from "../worker/packed-workflow.ts";
import { transcriptsFolderOf } from "../worker/runs/portable-transcripts.ts";
import { startNow } from "../worker/runs/requeue.ts";

/** A fleet as commands and the dashboard use it. */
export interface OpenFleet extends FleetRuns {
  readonly database: Database;
  readonly store: RunSource;
  /** Opens the queues at the first call. */
  readonly queues: () => Promise<Queues>;
  machines(): Promise<readonly MachineStatus[]>;
  /** Deletes the local copy of a run's log until the run is read again. */
  evict(id: RunId): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the fleet at a URL. Rejects if its database is unavailable or not prepared. `patienceMs`: how long to wait if
 * the database becomes unavailable later.
 */
export async function openFleetRuns(
  url: string,
  caller: Pick<Caller, "now" | "cwd" | "actor">,
  { patienceMs = 0 }: { readonly patienceMs?: number } = {},
): Promise<OpenFleet> {
  const database = openDatabase(url, { patienceMs });
  await (patienceMs === 0 ? requireSchema(database) : requireFleet(url));
  let opened: Promise<Queues> | null = null;
  const queues = () => (opened ??= openQueues(database.address, caller.now));
  const open = (root: string) => openStore(root, database, queues, caller);
  const mirror = await openMirror(open, database);
  const store = {
    ...mirror.store,
    workflowCopy: async (run: RunState) => {
      const row = await findPlacement(database, run.id);
      if (row === null) return null;
      const copies = path.join(mirror.folder, "copies");
      return localWorkflow(run, row, copies, { database, store: mirror.store });
    },
  };
  return {
    ...{ database, queues, store, shown: database.address.shown },
    machines: () => listMachines(database),
    evict: (id) => mirror.evict(id),
    named: (wanted) => (wanted === "latest" ? lastRuns(1, database) : findRuns(wanted, database)),
    last: () => lastRuns(500, database),
    close: async () => {
      await store.close();
      await (await opened)?.close();
      await database.close();
      await mirror.end();
    },
  };
}

/** Does not wait for a database that is unavailable from the start. */
async function requireFleet(url: string): Promise<void> {
  const database = openDatabase(url);
  try {
    await requireSchema(database);
  } finally {
    await database.close();
  }
}

async function lastRuns(limit: number, database: Database): Promise<readonly RunId[]> {
  const rows = await database.query<{ id: RunId }>(
    "SELECT id FROM raymond.runs WHERE state IS NOT NULL ORDER BY started_at DESC, id DESC LIMIT $1",
    [limit],
  );
  return rows.map(({ id }) => id);
}

async function findRuns(wanted: string, database: Database): Promise<readonly RunId[]> {
  const rows = await database.query<{ id: RunId }>(
    `SELECT id FROM raymond.runs WHERE state IS NOT NULL AND
       (id = $1 OR starts_with(id, $1) OR right(id, 6) = $1)
       ORDER BY id = $1 DESC, started_at DESC LIMIT 50`,
    [wanted],
  );
  return rows.map(({ id }) => id);
}

function openStore(
  root: string,
  database: Database,
  queues: () => Promise<Queues>,
  caller: Pick<Caller, "now" | "cwd" | "actor">,
): PostgresStore & RunSource {
  const queue = {
    withdraw: async (id: RunId) => {
      const row = await findPlacement(database, id);
      if (row === null) return;
      await changePlacement(database, id, { open: false, move: null });
      // The worker has released the run before it received the request.
      await database.query("DELETE FROM raymond.control_requests WHERE run = $1", [id]);
      await (await queues()).cancel(id, row.placement);
    },
    startNow: async (id: RunId) => startNow(id, { database, queues: await queues() }),
    requeue: async (id: RunId) => {
      const { requeueStopped } = await import("../worker/resume.ts");
      await requeueStopped(id, {}, { database, queues, store }, caller);
      return true;
    },
  };
  const rows = deletingEverywhere(postgresStore(database, root), database, queues);
  const store: PostgresStore & RunSource = {
    ...fleetRuns(database, rows, queue),
    remains: async (runs, workerFolder, pruner) => {
      const { remainsOf } = await import("../worker/remains.ts");
      const folder = await stateRoot({ stateDir: workerFolder }, pruner);
      return remainsOf(runs, folder, database, pruner);
    },
  };
  return store;
}

/**
 * A store that also deletes the queue entries of a run, because a new run with the same id could not be enqueued, and
 * conversations outside the database.
 */
function deletingEverywhere<S extends Store>(
  store: S,
  database: Database,
  queues: () => Promise<Queues>,
): S {
  return {
    ...store,
    remove: async (id, options) => {
      const placement = (await findPlacement(database, id))?.placement;
      await store.remove(id, options);
      if (placement === undefined) return;
      await (await queues()).forget(id, placement);
      const { sessions } = placement;
      if (sessions.kind !== "dir") return;
      await rm(transcriptsFolderOf(sessions.folder, id), { recursive: true, force: true });
    },
  };
}
