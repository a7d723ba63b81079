import path from "node:path";
import { AccountSlots } from "../../../../src/fleet/accounts/account-executor.ts";
import type { OpenFleet } from "../../../../src/fleet/admin/open.ts";
import { Clones } from "../../../../src/fleet/git/clones.ts";
import { acquireLease } from "../../../../src/fleet/lease/lease.ts";
import { registerMachine } from "../../../../src/fleet/lease/machines.ts";
import { Semaphore } from "../../../../src/fleet/queue/admission/semaphore.ts";
import { runStartLimit } from "../../../../src/fleet/queue/admission/start-limits.ts";
import { enqueueKey } from "../../../../src/fleet/queue/queues.ts";
import { closeableStore, fleetRuns } from "../../../../src/fleet/store/fleet-runs.ts";
import { postgresStore } from "../../../../src/fleet/store/store.ts";
import { ActiveRuns } from "../../../../src/fleet/worker/runs/active-runs.ts";
import { requeue, requeueDelay } from "../../../../src/fleet/worker/runs/requeue.ts";
import { runResumer } from "../../../../src/fleet/worker/runs/resume-runs.ts";
import { runClaimed } from "../../../../src/fleet/worker/runs/run-claimed.ts";
import { folderMaker } from "../../../../src/fleet/worker/step-user.ts";
import type { Caller } from "../../../../src/wire/caller.ts";
import { thisSystem } from "../../../../src/wire/system/system.ts";
import { gitBy } from "../../../../src/workspaces/git.ts";
import type { SteppedWorld } from "./stepped-world.ts";

/** A worker without queues: a lease, a fenced store, and the execution of dispatched runs. */
export interface TestWorker {
  readonly machine: string;
  /** Resumes a run as if its queue had dispatched it. Never resolves once the lease is lost. */
  resume(id: string, entry: number): Promise<string>;
  /** Refuses further saves, as after a lost lease. */
  lose(): void;
  /** Resolves when it executes no run. */
  over(): Promise<void>;
  end(): Promise<void>;
}

/** Starts a worker in this process, with its state below `root`. */
export async function testWorker(
  machine: string,
  root: string,
  { database, queues }: Pick<OpenFleet, "database" | "queues">,
  world: SteppedWorld,
  caller: Caller,
): Promise<TestWorker> {
  const { clock } = thisSystem;
  const me = { pid: process.pid, identity: machine };
  const lease = await acquireLease(machine, me, {
    database,
    clock,
    ttlMs: 600_000,
    random: () => 0.5,
  });
  const { holder, lost } = lease;
  const version = "0.0.0";
  await registerMachine(database, {
    ...{ id: machine, holder, pools: ["default"], accounts: [], slots: 1, version },
  });
  const state = path.join(root, machine);
  const folder = path.join(state, "fleet");
  const log = () => undefined;
  const git = gitBy(thisSystem.processes.start, caller.env);
  const makeFolder = folderMaker(null, thisSystem.processes.start);
  const clones = new Clones({ folder, machine, git, clock, makeFolder, log });
  const kept = postgresStore(database, state, { holder, snapshot: clones.snapshotOf });
  const source = fleetRuns(database, kept, null);
  const over = new AbortController();
  const save: typeof kept.save = (run, expected) => world.save(run, () => kept.save(run, expected));
  const store = closeableStore({ ...source, save }, lost);
  const accountSlots = new AccountSlots({ database, holder, clock, until: over.signal });
  const slots = new Semaphore(1);
  const host = {
    ...{ machine, database, store, holder, folder, caller, clones, accountSlots },
    accounts: {},
    isStopping: () => false,
    stepUser: null,
    policy: null,
    clients: { report: () => Promise.resolve() },
    enqueueMoved: () => Promise.resolve(),
  };
  const requeueing = { database, queues: await queues(), now: caller.now };
  const resume = runResumer({
    leave: () => Promise.resolve(),
    run: (id, name, driving) => runClaimed(id, name, driving, host),
    requeue: (id, name) => requeue(id, name, requeueing, { afterMs: requeueDelay() }),
    slots,
    startLimit: runStartLimit(clock),
    activeRuns: new ActiveRuns(),
    clock: { ...clock, sleep: () => Promise.resolve() },
    log,
    isClosed: () => store.isClosed(),
    stopping: over.signal,
  });
  return {
    machine,
    resume: (id, entry) => resume(id, enqueueKey(id, entry)),
    lose: () => {
      store.closeSaves();
    },
    over: () => slots.idle(),
    end: async () => {
      over.abort();
      await lease.end();
    },
  };
}
