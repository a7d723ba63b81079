import path from "node:path";
import { logLine } from "../../log/event-log.ts";
import type { Guard } from "../../process/children/guard.ts";
import type { Caller } from "../../wire/caller.ts";
import type { RunSource } from "../../wire/run-source.ts";
import { stateRoot } from "../../wire/stores.ts";
import { thisSystem } from "../../wire/system/system.ts";
import { runCaller } from "../admin/run-caller.ts";
import { Clones } from "../git/clones.ts";
import { gitBy } from "../git/git.ts";
import { fleetId } from "../lease/existing-runs.ts";
import { acquireLease, LEASE_TTL_MS, type Lease } from "../lease/lease.ts";
import { registerMachine, saveClientProblems } from "../lease/machines.ts";
import { registerAccounts } from "../queue/accounts.ts";
import { openQueues, type Queues } from "../queue/queues.ts";
import { type Database, openDatabase } from "../store/database.ts";
import { translateErrors } from "../store/database-failure.ts";
import { type CloseableStore, closeableStore, fleetRuns } from "../store/fleet-runs.ts";
import type { MachineId } from "../store/rows/placement.ts";
import { requireSchema } from "../store/schema.ts";
import { type PostgresStore, postgresStore } from "../store/store.ts";
import { ClientHealth } from "./client-health.ts";
import { machineId } from "./machine-id.ts";
import { folderMaker, prepareFolders } from "./step-user.ts";
import { recordFleet } from "./worker-folder.ts";
import { workerGuard } from "./worker-guard.ts";
import type { WorkerOptions } from "./worker-options.ts";

type WorkerStore = PostgresStore & RunSource & CloseableStore;

/** A worker that is registered in its fleet and holds the lease of its machine. */
export interface JoinedWorker {
  readonly machine: MachineId;
  /** Its own folder: copies of workflows, workspaces, discarded conversations. */
  readonly folder: string;
  /** The caller of its runs. */
  readonly caller: Caller;
  readonly database: Database;
  readonly lease: Lease;
  readonly guard: Guard;
  readonly clients: ClientHealth;
  readonly clones: Clones;
  readonly store: WorkerStore;
  readonly queues: Queues;
}

/** Acquires the lease and registers the machine. Rejects with a RaymondError if the worker cannot start. */
export async function joinFleet(options: WorkerOptions, caller: Caller): Promise<JoinedWorker> {
  const { log, pools, slots, version, accounts = {}, stepUser = null } = options;
  const { ttlMs = LEASE_TTL_MS } = options;
  const root = await stateRoot(options, caller);
  if (stepUser !== null) prepareFolders(stepUser, root);
  const ownCaller = runCaller(caller, stepUser, root);
  const machine = await machineId(root, options.machine ?? null);
  const database = openDatabase(options.url, { patienceMs: ttlMs, name: `raymond ${machine}` });
  let isRegistered = false;
  const clients = new ClientHealth({
    ...{ caller: ownCaller, accounts },
    changed: async (problems) => {
      for (const [name, problem] of Object.entries(problems)) {
        const account = name === "" ? "" : ` of account ${name}`;
        log(`warning: ${problem} Other workers will run the prompts${account}.`);
      }
      if (isRegistered) await saveClientProblems(database, machine, problems);
    },
  });
  await clients.check();
  await requireSchema(database);
  const { clock, processes } = thisSystem;
  const identity = (await processes.identify(process.pid, null)) ?? "";
  const guard = workerGuard(log);
  const lease = await translateErrors(
    database.address,
    acquireLease(
      machine,
      { pid: process.pid, identity },
      { database, clock, ttlMs, random: Math.random, onRenewed: guard.renew },
    ),
  );
  const { holder } = lease;
  const names = Object.keys(accounts);
  await registerAccounts(database, names);
  await registerMachine(database, { id: machine, holder, pools, slots, accounts: names, version });
  await saveClientProblems(database, machine, clients.problems);
  isRegistered = true;
  await recordFleet(root, await fleetId(database));
  const folder = path.join(root, "fleet");
  const { start } = (await ownCaller.system()).processes;
  const git = gitBy(start, ownCaller.env);
  const makeFolder = folderMaker(stepUser, start);
  const clones = new Clones({ folder, machine, git, clock, makeFolder, log });
  const store = workerStore(database, root, lease, clones);
  const queues = await openQueues(database.address, caller.now);
  return {
    ...{ machine, folder, caller: ownCaller, database, lease, guard, clients, clones, store },
    queues,
  };
}

/** A store that refuses saves once the lease is lost. Its queue operations do nothing: those are for clients of the fleet. */
function workerStore(
  database: Database,
  root: string,
  { holder, lost }: Lease,
  clones: Clones,
): WorkerStore {
  const store = postgresStore(database, root, { holder, snapshot: clones.snapshotOf });
  const queue = {
    ...{ withdraw: () => Promise.resolve(), requeue: () => Promise.resolve(false) },
    startNow: () => Promise.resolve(false),
  };
  return closeableStore(
    fleetRuns(database, store, { print: logLine, queue, logFiles: true }),
    lost,
  );
}
