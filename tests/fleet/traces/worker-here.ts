import path from "node:path";
import { AccountSlots } from "../../../src/fleet/account-executor.ts";
import { turnsToBegin } from "../../../src/fleet/beginning.ts";
import { Clones } from "../../../src/fleet/git/clones.ts";
import { gitBy } from "../../../src/fleet/git/git.ts";
import { goingOn } from "../../../src/fleet/going-on.ts";
import { leaveForLater } from "../../../src/fleet/leave-to-others.ts";
import type { OpenFleet } from "../../../src/fleet/open.ts";
import { RunsInHand } from "../../../src/fleet/runs-in-hand.ts";
import { shuttable } from "../../../src/fleet/shuttable.ts";
import { Slots } from "../../../src/fleet/slots.ts";
import { take } from "../../../src/fleet/take.ts";
import { logLine } from "../../../src/observers/event-log.ts";
import type { Caller } from "../../../src/runs/caller.ts";
import { thisSystem } from "../../../src/runs/wire/system.ts";
import { takeLease } from "../../../src/stores/postgres/lease.ts";
import { keepMachine } from "../../../src/stores/postgres/machines.ts";
import { goName } from "../../../src/stores/postgres/queues.ts";
import { remoteOf } from "../../../src/stores/postgres/remote.ts";
import { postgresStore } from "../../../src/stores/postgres/store.ts";
import type { OneByOne } from "./one-by-one.ts";

/** What `raymond worker` is beneath its queues: a lease, a fenced store, and how it goes on with what it is handed. */
export interface WorkerHere {
  readonly machine: string;
  /** Goes on with a run by the number of its going on, as if its queue had handed it over. Never resolves once it has lost its lease. */
  goOn(id: string, go: number): Promise<string>;
  /** Saves nothing more, as one that has lost its lease. */
  lose(): void;
  /** Resolves when it goes on with nothing any more. */
  over(): Promise<void>;
  end(): Promise<void>;
}

/** Begins to be a machine, whose state is below `root`, in this process. */
export async function workerHere(
  machine: string,
  root: string,
  { database, queues }: Pick<OpenFleet, "database" | "queues">,
  world: OneByOne,
  caller: Caller,
): Promise<WorkerHere> {
  const { clock } = thisSystem;
  const me = { pid: process.pid, identity: machine };
  const lease = await takeLease(machine, me, { database, clock, ttlMs: 600_000, dice: () => 0.5 });
  const { holder, lost } = lease;
  const version = "0.0.0";
  await keepMachine(database, {
    ...{ id: machine, holder, pools: ["default"], accounts: [], slots: 1, version },
  });
  const state = path.join(root, machine);
  const folder = path.join(state, "fleet");
  const tell = () => undefined;
  const git = gitBy(thisSystem.processes.start, caller.env);
  const clones = new Clones({ folder, machine, git, clock, tell });
  const kept = postgresStore(database, state, { holder, snapshot: clones.snapshotOf });
  const queue = {
    ...{ withdraw: () => Promise.resolve(), requeue: () => Promise.resolve() },
    beginNow: () => Promise.resolve(false),
  };
  const remote = remoteOf(database, kept, logLine, queue);
  const over = new AbortController();
  const save: typeof kept.save = (run, expected) => world.save(run, () => kept.save(run, expected));
  const store = shuttable({ ...kept, save, remote }, lost);
  const accountSlots = new AccountSlots({ database, holder, clock, until: over.signal });
  const slots = new Slots(1);
  const host = {
    ...{ machine, database, store, holder, folder, caller, clones, accountSlots },
    accounts: {},
    isAsked: () => false,
    stepUser: null,
    clients: { report: () => Promise.resolve() },
    enqueueMoved: () => Promise.resolve(),
  };
  const toNewer = { database, queues: await queues(), now: caller.now };
  const goOn = goingOn({
    leave: () => Promise.resolve(),
    take: (id, name, driving) => take(id, name, driving, host),
    giveAway: (id, name) => leaveForLater(id, name, toNewer),
    slots,
    turns: turnsToBegin(clock),
    inHand: new RunsInHand(),
    clock: { ...clock, sleep: () => Promise.resolve() },
    tell,
    isShut: () => store.isShut(),
    over: over.signal,
  });
  return {
    machine,
    goOn: (id, go) => goOn(id, goName(id, go)),
    lose: () => {
      store.shut();
    },
    over: () => slots.empty(),
    end: async () => {
      over.abort();
      await lease.end();
    },
  };
}
