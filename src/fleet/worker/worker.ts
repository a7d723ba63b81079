import { addAbortListener } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { RunId } from "../../machine/model/run-state.ts";
import type { Caller } from "../../wire/caller.ts";
import { thisSystem } from "../../wire/system/system.ts";
import { AccountSlots } from "../accounts/account-executor.ts";
import { LEASE_TTL_MS } from "../lease/lease.ts";
import { isDraining } from "../lease/machines.ts";
import { Admission } from "../queue/admission/admission.ts";
import { Semaphore } from "../queue/admission/semaphore.ts";
import { runStartLimit } from "../queue/admission/start-limits.ts";
import { loadDbos, RUN_WORKFLOW, workerConfig } from "../queue/dbos/dbos.ts";
import { DispatchSlots } from "../queue/dispatch-slots.ts";
import { machineQueue, poolQueue } from "../queue/queues.ts";
import { runSchedules } from "../queue/schedules/run-schedules.ts";
import { translateErrors } from "../store/database-failure.ts";
import type { AccountName } from "../store/rows/placement.ts";
import { type JoinedWorker, joinFleet, type WorkerOptions } from "./join-fleet.ts";
import { runReaper } from "./reaper.ts";
import { ActiveRuns } from "./runs/active-runs.ts";
import { deliverRequests } from "./runs/deliver-requests.ts";
import { enqueueMoved, requeue, requeueDelay } from "./runs/requeue.ts";
import { NOT_CLAIMED, runResumer } from "./runs/resume-runs.ts";
import { type ClaimOutcome, runClaimed } from "./runs/run-claimed.ts";

export type WorkerEnd =
  | { readonly kind: "asked" }
  | { readonly kind: "lost"; readonly why: string };

/*
 * W1  Every save of a run is fenced by its epoch: only the process that claimed the run last can save.
 * W2  A worker that loses its lease, or shuts down, terminates everything its runs have started and
 *     saves nothing more. The next worker finds the last saved state, as after a crash.
 * W3  A run that DBOS has dispatched stays assigned to this machine until the DBOS workflow returns. It
 *     returns only for runs that have ended or stopped.
 */

/** Claims queued runs and runs them until it is stopped or loses its lease. */
export async function runWorker(options: WorkerOptions, caller: Caller): Promise<WorkerEnd> {
  // A missing DBOS package is reported before anything starts.
  loadDbos();
  const joined = await joinFleet(options, caller);
  const { lost } = joined.lease;
  const ended = new Promise<WorkerEnd>((resolve) => {
    addAbortListener(options.signal, () => {
      resolve({ kind: "asked" });
    });
    addAbortListener(lost, () => {
      resolve({ kind: "lost", why: String(lost.reason) });
    });
  });
  const worker = new Worker(joined, options, caller);
  await worker.start();
  const end = await ended;
  await worker.shutDown(end.kind === "lost");
  return end;
}

class Worker {
  readonly #joined: JoinedWorker;
  readonly #options: WorkerOptions;
  readonly #now: () => number;
  readonly #pollMs: number;
  readonly #stopping = new AbortController();
  readonly #activeRuns = new ActiveRuns();
  /** One permit per concurrent run. */
  readonly #slots: Semaphore;
  readonly #dispatchSlots: DispatchSlots;
  /** The DBOS workflow ids that were dispatched to this worker and have not returned. */
  readonly #dispatched = new Set<string>();
  readonly #admission: Admission;
  readonly #resume: (id: RunId, key: string) => Promise<string>;
  #state: "in-service" | "draining" | "drained" = "in-service";
  #isReady = false;
  #loops: readonly Promise<void>[] = [];

  constructor(joined: JoinedWorker, options: WorkerOptions, { now }: Caller) {
    const { machine, database, queues, clients, accounts, lease, holder, store } = joined;
    const { log, signal, pollMs = 1_000 } = options;
    const { clock } = thisSystem;
    this.#joined = joined;
    this.#options = options;
    this.#now = now;
    this.#pollMs = pollMs;
    this.#slots = new Semaphore(options.slots);
    this.#dispatchSlots = new DispatchSlots(options.slots);
    const stopping = this.#stopping.signal;
    const waiting = { holder, database, clock, until: stopping };
    this.#admission = new Admission({
      ...{ ...waiting, machine, queues, log, now, clients, policy: joined.policy },
      accounts: Object.keys(accounts),
    });
    const context = {
      ...joined,
      accountSlots: new AccountSlots(waiting),
      isStopping: () => signal.aborted && !lease.lost.aborted,
      enqueueMoved: (id: RunId) => enqueueMoved([id], { database, queues }),
    };
    this.#resume = runResumer({
      ...{ slots: this.#slots, activeRuns: this.#activeRuns, clock, log, stopping },
      startLimit: runStartLimit(clock),
      leave: (id) => this.#admission.exit(id),
      run: (id, key, driving) => runClaimed(id, key, driving, context),
      requeue: (id, key, outcome) => this.#requeue(id, key, outcome),
      isClosed: () => store.isClosed(),
    });
  }

  async start(): Promise<void> {
    const { machine, database } = this.#joined;
    const { slots, log } = this.#options;
    const { DBOS } = loadDbos();
    DBOS.registerWorkflow((id: RunId, queue?: string) => this.#run(id, queue), {
      name: RUN_WORKFLOW,
      maxRecoveryAttempts: 1_000_000,
    });
    const names = [machineQueue(machine), ...this.#poolQueues().keys()];
    await this.#checkDrain();
    const settings = { limitOf: this.#queueLimits(), pollMs: this.#pollMs };
    const warn = throttled(log, thisSystem.clock.elapsed);
    DBOS.setConfig(workerConfig(database.address, machine, names, settings, warn));
    await translateErrors(database.address, DBOS.launch());
    for (const name of names) {
      // All workers share this row. Each replaces the limit by its own when it reads the row.
      const registered = DBOS.registerQueue(name, {
        workerConcurrency: slots,
        minPollingIntervalMs: this.#pollMs,
        onConflict: "always_update",
      });
      await translateErrors(database.address, registered);
    }
    if (this.#state === "in-service") this.#reportReady();
    this.#loops = this.#startLoops();
  }

  /** Interrupts all runs; kills them if the lease is `lost`, or after a grace period. */
  async shutDown(lost: boolean): Promise<void> {
    const { store, guard, lease, queues, database } = this.#joined;
    store.closeSaves();
    this.#stopping.abort();
    const killAll = () => {
      for (const run of this.#activeRuns.all) run.kill();
    };
    if (lost) killAll();
    else for (const run of this.#activeRuns.all) run.interrupt();
    await Promise.race([this.#slots.idle(), delay(GRACE_MS).then(killAll)]);
    await Promise.race([this.#slots.idle(), delay(GRACE_MS)]);
    await guard.end();
    const closed = Promise.allSettled(this.#loops)
      .then(() => lease.end())
      .then(() => Promise.allSettled([queues.close(), database.close()]));
    // A dead connection never reports that it is closed.
    await Promise.race([closed, delay(GRACE_MS / 4)]);
  }

  /** The DBOS workflow: runs a run until it stops. */
  async #run(id: RunId, queue: string | undefined): Promise<string> {
    const key = loadDbos().DBOS.workflowID ?? "";
    const slot = this.#dispatchSlots.add(queue ?? null);
    this.#dispatched.add(key);
    const isAdmitted = await this.#admission.enter(id, key, slot);
    const outcome = isAdmitted ? await this.#resume(id, key) : NOT_CLAIMED;
    this.#dispatched.delete(key);
    slot.end();
    return outcome;
  }

  #requeue(id: RunId, key: string, outcome: ClaimOutcome): Promise<boolean> {
    const { database, queues } = this.#joined;
    const isOfferedAgain = outcome.kind !== "no-client" || outcome.polled;
    const afterMs = isOfferedAgain ? requeueDelay() : 0;
    return requeue(id, key, { database, queues, now: this.#now }, { afterMs });
  }

  /** The queues of its pools. The value is the account whose client the runs need; undefined for runs without prompts. */
  #poolQueues(): ReadonlyMap<string, AccountName | null | undefined> {
    const accounts = [null, ...Object.keys(this.#joined.accounts)];
    return new Map(
      this.#options.pools.flatMap((pool) =>
        accounts.flatMap((account) => [
          [poolQueue(pool, account), account] as const,
          [poolQueue(pool, account, "scripts"), undefined] as const,
        ]),
      ),
    );
  }

  /** The number of runs of a queue that this worker may execute now, including those in progress. */
  #queueLimits(): (queue: string) => number {
    const accountOf = this.#poolQueues();
    return (queue) => {
      const account = accountOf.get(queue);
      const hasNoClient = account !== undefined && this.#joined.clients.hasNone(account);
      const isClosed = this.#state !== "in-service" || hasNoClient;
      return isClosed ? 0 : this.#dispatchSlots.limitOf(queue);
    };
  }

  #startLoops(): readonly Promise<void>[] {
    const { machine, database, queues, clients, store } = this.#joined;
    const { log, ttlMs = LEASE_TTL_MS } = this.#options;
    const base = { database, clock: thisSystem.clock, log, until: this.#stopping.signal };
    const everyMs = this.#pollMs;
    return [
      this.#repeat(everyMs, () => this.#checkDrain()),
      this.#repeat(everyMs, () => deliverRequests(this.#activeRuns, database)),
      // Seldom, because each check starts the client.
      this.#repeat(everyMs * 30, () => clients.recheck()),
      runReaper({ ...base, queues, machine, dispatched: this.#dispatched, ttlMs }),
      runSchedules({ ...base, store, queues, everyMs }),
    ];
  }

  /** Ignores errors: the database is unavailable, and logged elsewhere. */
  async #repeat(everyMs: number, act: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await thisSystem.clock.sleep(everyMs, signal);
      await act().catch(() => undefined);
    }
  }

  /** A worker on a drained machine keeps running, and claims nothing. */
  async #checkDrain(): Promise<void> {
    const { machine, database } = this.#joined;
    const { log } = this.#options;
    const isWanted = await isDraining(database, machine);
    const runs = this.#activeRuns.all.length;
    const next = !isWanted ? "in-service" : runs === 0 ? "drained" : "draining";
    if (next === this.#state) return;
    this.#state = next;
    if (next === "draining") log(`Machine ${machine} is draining: it claims no more runs.`);
    else if (next === "drained")
      log(
        `Machine ${machine} is drained. To return it to service: raymond fleet drain ${machine} --end`,
      );
    else {
      log(`Machine ${machine} claims runs again.`);
      this.#reportReady();
    }
  }

  /** Once. A worker that starts on a drained machine is ready when the machine returns to service. */
  #reportReady(): void {
    if (this.#isReady) return;
    this.#isReady = true;
    this.#options.onReady?.(this.#joined.machine);
  }
}

/** How long steps in flight may take to end before they are killed, ms. */
const GRACE_MS = 10_000;

/** Logs each kind of line at most once a minute: DBOS repeats a warning on every retry. */
function throttled(log: (line: string) => void, elapsed: () => number): (line: string) => void {
  const logged = new Map<string, number>();
  return (line) => {
    const [kind = ""] = line.split(/:| for queue/);
    const last = logged.get(kind);
    if (last !== undefined && elapsed() - last < 60_000) return;
    logged.set(kind, elapsed());
    log(line);
  };
}
