import { setTimeout as delay } from "node:timers/promises";
import type { RunId } from "../core/machine/run-state.ts";
import { logLine } from "../observers/event-log.ts";
import type { Caller } from "../runs/caller.ts";
import { type Place, stateRoot } from "../runs/wire/stores.ts";
import { thisSystem } from "../runs/wire/system.ts";
import { keepAccounts } from "../stores/postgres/accounts.ts";
import { openDatabase } from "../stores/postgres/database.ts";
import { GO_ON, loadDbos, workerConfig } from "../stores/postgres/dbos.ts";
import { LEASE_TTL_MS, takeLease } from "../stores/postgres/lease.ts";
import { keepClientProblems, keepMachine } from "../stores/postgres/machines.ts";
import type { AccountName, PoolName } from "../stores/postgres/placement.ts";
import { machineQueue, openQueues, poolQueue } from "../stores/postgres/queues.ts";
import { remoteOf } from "../stores/postgres/remote.ts";
import { requireSchema } from "../stores/postgres/schema.ts";
import { postgresStore } from "../stores/postgres/store.ts";
import { inWords } from "../stores/postgres/trouble.ts";
import { fleetId } from "../stores/postgres/unknown-runs.ts";
import { AccountSlots } from "./account-executor.ts";
import type { Credentials } from "./accounts-file.ts";
import { admission } from "./admission.ts";
import { keepBeginning } from "./begin-due.ts";
import { turnsToBegin } from "./beginning.ts";
import { callerOfRuns } from "./caller-of-runs.ts";
import { Claims } from "./claims.ts";
import { ClientHealth, keepChecking } from "./client-health.ts";
import { DrainWatch } from "./drain-watch.ts";
import { Clones } from "./git/clones.ts";
import { gitBy } from "./git/git.ts";
import { goingOn } from "./going-on.ts";
import { leaveForLater, leaveToOthers } from "./leave-to-others.ts";
import { machineId } from "./machine-id.ts";
import { enqueueMoved } from "./moves.ts";
import { keepReaping } from "./reaper.ts";
import { RunsInHand } from "./runs-in-hand.ts";
import { shuttable } from "./shuttable.ts";
import { Slots } from "./slots.ts";
import { prepareFolders, type StepUser } from "./step-user.ts";
import { take } from "./take.ts";
import { keepHearing } from "./wishes.ts";
import { noteFleet } from "./worker-folder.ts";
import { workerGuard } from "./worker-guard.ts";

/** A worker that is to take runs. */
export interface WorkerOptions extends Place {
  /** The database of the fleet. */
  readonly url: string;
  readonly pools: readonly PoolName[];
  readonly slots: number;
  /** Of this raymond. */
  readonly version: string;
  /** The id of this machine, where it is not that of its file. */
  readonly machine?: string | undefined;
  /** Accounts that this worker has credentials for, with what the client of their runs finds in its environment. */
  readonly accounts?: Readonly<Record<AccountName, Credentials>> | undefined;
  /** Steps run as this user, where that is not the worker's own. */
  readonly stepUser?: StepUser | undefined;
  /** It is taken for dead when it was not heard for so long, ms. */
  readonly ttlMs?: number | undefined;
  /** Between two looks into a queue, ms. */
  readonly pollMs?: number | undefined;
  /** Hears, once, that it takes runs. */
  readonly ready?: ((machine: string) => void) | undefined;
  /** Hears what it does, a sentence each. */
  readonly tell: (line: string) => void;
  /** Aborts when it is to end: its runs are left for it to go on with when it is back. */
  readonly until: AbortSignal;
}

/** How a worker ended. */
export type WorkerEnd =
  | { readonly kind: "asked" }
  | { readonly kind: "lost"; readonly why: string };

/*
 * W1  A run is gone on with by whoever has raised its epoch last: every save is fenced by it.
 * W2  Who loses its lease, or is asked to end, ends all that its runs have started, and saves nothing more:
 *     what was saved last is what whoever goes on with it finds, as after a crash.
 * W3  What DBOS has handed out stays this machine's until it returns: only a run that has ended, or has
 *     stopped by itself, returns.
 */

/** Takes runs and goes on with them, until it is asked to end or has lost its lease. Rejects with a RaymondError where it cannot begin. */
export async function work(options: WorkerOptions, caller: Caller): Promise<WorkerEnd> {
  const { tell, until, pools, slots: slotCount, accounts = {}, ttlMs = LEASE_TTL_MS } = options;
  const { pollMs = 1_000 } = options;
  const root = await stateRoot(options, caller);
  const { stepUser = null } = options;
  if (stepUser !== null) prepareFolders(stepUser, root);
  const runsCaller = callerOfRuns(caller, stepUser, root);
  const machine = await machineId(root, options.machine ?? null);
  const { DBOS } = loadDbos();
  const { clock, processes } = thisSystem;
  const clients = new ClientHealth({
    ...{ caller: runsCaller, accounts },
    changed: async (problems) => {
      for (const [name, problem] of Object.entries(problems)) {
        const whose = name === "" ? "" : ` (account ${name})`;
        tell(`warning: ${problem} Runs with prompts${whose} are left to other workers.`);
      }
      if (joined) await keepClientProblems(database, machine, problems);
    },
  });
  let joined = false;
  await clients.check();
  const database = openDatabase(options.url, {
    patienceMs: ttlMs,
    name: `raymond ${machine}`,
  });
  await requireSchema(database);
  const me = {
    pid: process.pid,
    identity: (await processes.identify(process.pid, null)) ?? "",
  };
  const guard = workerGuard(tell);
  const world = { database, clock, ttlMs, dice: Math.random, renewed: guard.renew };
  const lease = await inWords(database.address, takeLease(machine, me, world));
  await keepAccounts(database, Object.keys(accounts));
  await keepMachine(database, {
    ...{ id: machine, holder: lease.holder, pools, slots: slotCount },
    accounts: Object.keys(accounts),
    version: options.version,
  });
  await keepClientProblems(database, machine, clients.problems);
  joined = true;
  const folder = `${root}/fleet`;
  await noteFleet(root, await fleetId(database));
  const git = gitBy((await runsCaller.system()).processes.start, runsCaller.env);
  const clones = new Clones({ folder, machine, git, clock, tell });
  const kept = postgresStore(database, root, {
    holder: lease.holder,
    snapshot: clones.snapshotOf,
  });
  // What is in queues, whoever looks after runs says: it is a client of the fleet.
  const queue = {
    ...{ withdraw: () => Promise.resolve(), requeue: () => Promise.resolve() },
    beginNow: () => Promise.resolve(false),
  };
  const store = shuttable(
    { ...kept, remote: remoteOf(database, kept, logLine, queue) },
    lease.lost,
  );
  const queues = await openQueues(database.address, caller.now);
  const inHand = new RunsInHand();
  const slots = new Slots(slotCount);
  const claims = new Claims(slotCount);
  const over = new AbortController();
  const isAsked = () => until.aborted && !lease.lost.aborted;
  const { holder } = lease;
  const waiting = { holder, database, clock, until: over.signal };
  const accountSlots = new AccountSlots(waiting);
  const files = { folder, caller: runsCaller, stepUser, accounts, clones };
  const host = {
    ...{ machine, database, store, holder, ...files, isAsked, accountSlots, clients },
    enqueueMoved: (id: RunId) => enqueueMoved([id], { database, queues }),
  };
  const admitted = admission({
    ...{ ...waiting, machine, queues, tell, now: caller.now },
    accounts: Object.keys(accounts),
    clients,
  });

  const heardOf = new Set<string>();
  /** What DBOS calls, with what was enqueued. */
  const goOn = async (id: RunId, queue?: string): Promise<string> => {
    const name = DBOS.workflowID ?? "";
    const claim = claims.begin(queue ?? null);
    heardOf.add(name);
    const how = (await admitted.enter(id, name, claim)) ? await untilOver(id, name) : "not taken";
    heardOf.delete(name);
    claim.end();
    return how;
  };
  const untilOver = goingOn({
    leave: (id) => admitted.leave(id),
    take: (id, name, driving) => take(id, name, driving, host),
    giveAway: (id, name, taken) => {
      const leaving = { database, queues, now: caller.now };
      const isOfferedAgain = taken.kind !== "no-client" || taken.polled;
      return isOfferedAgain ? leaveForLater(id, name, leaving) : leaveToOthers(id, name, leaving);
    },
    ...{ slots, inHand, clock, tell },
    turns: turnsToBegin(clock),
    isShut: () => store.isShut(),
    over: over.signal,
  });
  DBOS.registerWorkflow(goOn, { name: GO_ON, maxRecoveryAttempts: 1_000_000 });
  const names = [
    machineQueue(machine),
    ...pools.flatMap((pool) =>
      [null, ...Object.keys(accounts)].flatMap((name) => [
        poolQueue(pool, name),
        poolQueue(pool, name, "scripts"),
      ]),
    ),
  ];
  /** Queues of runs that need the client, with the account that it answers for. */
  const ofClient = new Map(
    pools.flatMap((pool) =>
      [null, ...Object.keys(accounts)].map((name) => [poolQueue(pool, name), name] as const),
    ),
  );
  const drain = new DrainWatch({
    ...{ database, machine, inHand, clock, tell },
    ...{ everyMs: pollMs, until: over.signal },
  });
  await drain.look();
  const boundOf = (queue: string) => {
    const account = ofClient.get(queue);
    const isBlocked = account !== undefined && clients.problemOf(account) !== null;
    return drain.isDraining || isBlocked ? 0 : claims.boundOf(queue);
  };
  const warn = seldom(tell, clock.elapsed);
  DBOS.setConfig(workerConfig(database.address, machine, names, { boundOf, pollMs }, warn));
  await inWords(database.address, DBOS.launch());
  // The row is one for all workers: it says how many a worker of an older raymond takes. Others read their own there.
  for (const name of names) {
    const registered = DBOS.registerQueue(name, {
      workerConcurrency: slotCount,
      minPollingIntervalMs: pollMs,
      onConflict: "always_update",
    });
    await inWords(database.address, registered);
  }
  if (!drain.isDraining) options.ready?.(machine);
  const loops = [
    drain.keep(),
    keepHearing({ database, inHand, clock, until: over.signal, everyMs: pollMs }),
    keepReaping({ database, queues, machine, heardOf, clock, ttlMs, until: over.signal, tell }),
    keepChecking(clients, { clock, until: over.signal, pollMs }),
    keepBeginning({ database, store, queues, clock, tell, everyMs: pollMs, until: over.signal }),
  ];

  const why = await Promise.race([aborted(until).then(() => null), aborted(lease.lost)]);
  store.shut();
  over.abort();
  for (const run of inHand.all)
    if (why === null) run.interrupt();
    else run.kill();
  await Promise.race([
    slots.empty(),
    delay(GRACE_MS).then(() => {
      for (const run of inHand.all) run.kill();
    }),
  ]);
  await Promise.race([slots.empty(), delay(GRACE_MS)]);
  await guard.end();
  const idle = Promise.allSettled(loops).then(() => lease.end());
  const closed = idle.then(() => Promise.allSettled([queues.close(), database.close()]));
  // A connection that nobody hears any more never says that it is closed.
  await Promise.race([closed, delay(GRACE_MS / 4)]);
  return why === null ? { kind: "asked" } : { kind: "lost", why };
}

/** Until what is in flight is killed, ms. */
const GRACE_MS = 10_000;

function aborted(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const end = () => {
      resolve(String(signal.reason));
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}

/** Tells what the library says, but the same again only after a minute: it says it at each try. */
function seldom(tell: (line: string) => void, elapsed: () => number): (line: string) => void {
  const told = new Map<string, number>();
  return (line) => {
    const [kind = ""] = line.split(/:| for queue/);
    const last = told.get(kind);
    if (last !== undefined && elapsed() - last < 60_000) return;
    told.set(kind, elapsed());
    tell(line);
  };
}
