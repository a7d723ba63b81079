import path from "node:path";
import { type Guard, startGuard } from "../../process/children/guard.ts";
import { startService } from "../../process/children/service.ts";
import type { Caller } from "../../wire/caller.ts";
import type { RunSource } from "../../wire/run-source.ts";
import { type Place, stateRoot } from "../../wire/stores.ts";
import { thisSystem } from "../../wire/system/system.ts";
import { gitBy } from "../../workspaces/git.ts";
import type { Credentials } from "../accounts/accounts-file.ts";
import { Clones } from "../git/clones.ts";
import { fleetId } from "../lease/existing-runs.ts";
import { acquireLease, LEASE_TTL_MS, type Lease } from "../lease/lease.ts";
import { registerMachine, saveClientProblems, savePolicy } from "../lease/machines.ts";
import type { WorkerPolicy } from "../policy/policy-file.ts";
import { registerAccounts } from "../queue/accounts.ts";
import { openQueues, type Queues } from "../queue/queues.ts";
import { type Database, openDatabase } from "../store/database.ts";
import { translateErrors } from "../store/database-failure.ts";
import { type CloseableStore, closeableStore, fleetRuns } from "../store/fleet-runs.ts";
import type { AccountName, MachineId, PoolName } from "../store/rows/placement.ts";
import { requireSchema } from "../store/schema.ts";
import { type PostgresStore, postgresStore } from "../store/store.ts";
import { ClientHealth } from "./client-health.ts";
import { machineId } from "./machine-id.ts";
import { recordFleet } from "./remains.ts";
import { folderMaker, prepareFolders, runCaller, type StepUser } from "./step-user.ts";
import type { WorkerContext } from "./worker-context.ts";

export interface WorkerOptions extends Place {
  /** The database of the fleet. */
  readonly url: string;
  readonly pools: readonly PoolName[];
  /** Maximum number of concurrent runs. */
  readonly slots: number;
  readonly version: string;
  /** Default: the id in the machine-id file of the state folder. */
  readonly machine?: string | undefined;
  /** The accounts that this worker serves, with the environment of their client. */
  readonly accounts?: Readonly<Record<AccountName, Credentials>> | undefined;
  /** Default: steps run as the user of the worker. */
  readonly stepUser?: StepUser | undefined;
  /** Default: the worker may run everything. */
  readonly policy?: WorkerPolicy | null | undefined;
  /** Lease duration, ms. */
  readonly ttlMs?: number | undefined;
  /** Poll interval of the queues, ms. */
  readonly pollMs?: number | undefined;
  /** Called once when the worker is ready to claim runs. */
  readonly onReady?: ((machine: string) => void) | undefined;
  readonly log: (line: string) => void;
  /** Aborts to shut the worker down. Its runs stay assigned to its machine. */
  readonly signal: AbortSignal;
}

/** A worker that is registered in its fleet and holds the lease of its machine. */
export interface JoinedWorker
  extends Omit<WorkerContext, "accountSlots" | "enqueueMoved" | "isStopping"> {
  readonly lease: Lease;
  readonly guard: Guard;
  readonly clients: ClientHealth;
  readonly store: PostgresStore & RunSource & CloseableStore;
  readonly queues: Queues;
}

/** Acquires the lease and registers the machine. Rejects with a RaymondError if the worker cannot start. */
export async function joinFleet(options: WorkerOptions, caller: Caller): Promise<JoinedWorker> {
  const { log, pools, slots, version, accounts = {}, stepUser = null, policy = null } = options;
  const { ttlMs = LEASE_TTL_MS } = options;
  const root = await stateRoot(options, caller);
  if (stepUser !== null) prepareFolders(stepUser, root);
  const ownCaller = runCaller(caller, stepUser, root);
  const machine = await machineId(root, options.machine);
  const database = openDatabase(options.url, { patienceMs: ttlMs, name: `raymond ${machine}` });
  let isRegistered = false;
  const clients = new ClientHealth({
    ...{ caller: ownCaller, accounts },
    changed: async (found) => {
      for (const [name, problem] of Object.entries(found.problems)) {
        log(`warning: ${problem} Other workers will run the prompts${whose(name)}.`);
      }
      if (isRegistered) await saveClientProblems(database, machine, found);
    },
  });
  await clients.check();
  await requireSchema(database);
  const guard = workerGuard(log);
  const lease = await lockMachine(machine, ttlMs, guard, database);
  const { holder } = lease;
  const names = Object.keys(accounts);
  await registerAccounts(database, names);
  await registerMachine(database, { id: machine, holder, pools, slots, accounts: names, version });
  await saveClientProblems(database, machine, clients.problems);
  await savePolicy(database, machine, policy);
  isRegistered = true;
  await recordFleet(root, await fleetId(database));
  const folder = path.join(root, "fleet");
  const { start } = (await ownCaller.system()).processes;
  const clones = new Clones({
    ...{ folder, machine, clock: thisSystem.clock, log },
    git: gitBy(start, ownCaller.env),
    makeFolder: folderMaker(stepUser, start),
  });
  const store = postgresStore(database, root, { holder, snapshot: clones.snapshotOf });
  const runs = fleetRuns(database, store, null);
  return {
    ...{
      machine,
      folder,
      caller: ownCaller,
      database,
      holder,
      lease,
      guard,
      accounts,
      stepUser,
      policy,
    },
    ...{ clients, clones, store: closeableStore(runs, lease.lost) },
    queues: await openQueues(database.address, caller.now),
  };
}

async function lockMachine(
  machine: MachineId,
  ttlMs: number,
  guard: Guard,
  database: Database,
): Promise<Lease> {
  const { clock, processes } = thisSystem;
  const identity = (await processes.identify(process.pid, null)) ?? "";
  const options = { database, clock, ttlMs, random: Math.random, onRenewed: guard.renew };
  const acquired = acquireLease(machine, { pid: process.pid, identity }, options);
  return translateErrors(database.address, acquired);
}

/** The guard of this worker, started by the first heartbeat. Windows has no process groups, and no guard. */
function workerGuard(log: (line: string) => void): Guard {
  let guard: Guard | null = null;
  const onProblem = (problem: string) => {
    log(
      `warning: The guard process of this worker has failed, so steps may outlive its lease: ${problem}`,
    );
  };
  return {
    renew: (leftMs) => {
      if (process.platform === "win32") return;
      guard ??= startGuard(startService, process.pid, onProblem);
      guard.renew(leftMs);
    },
    end: async () => guard?.end(),
  };
}

/** The prompts of a {@link problemKey}. */
function whose(key: string): string {
  if (key === "") return "";
  return key.startsWith("on ") ? ` ${key}` : ` of account ${key}`;
}
