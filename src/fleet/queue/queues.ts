import type { RunId } from "../../machine/model/run-state.ts";
import type { DatabaseAddress } from "../store/address.ts";
import type { Queries } from "../store/database.ts";
import { translateErrors } from "../store/database-failure.ts";
import { markQueued } from "../store/rows/placed-runs.ts";
import {
  type AccountName,
  isTied,
  type MachineId,
  type PlacedRun,
  type Placement,
  type PoolName,
  type QueueEntry,
} from "../store/rows/placement.ts";
import { APP_VERSION, openClient, RUN_WORKFLOW } from "./dbos/dbos.ts";

/**
 * The queue of runs of one pool and account. Each account has its own, so that limits are exact and a worker
 * listens only to the accounts whose credentials it has. `scripts`: the queue of runs that need no client,
 * which workers without a working client claim too.
 */
export function poolQueue(
  pool: PoolName,
  account: AccountName | null,
  kind: "pool" | "scripts" = "pool",
): string {
  return account === null ? `${kind}:${pool}` : `${kind}:${pool}/${account}`;
}

/** The queue of runs that only this machine may claim. */
export function machineQueue(machine: MachineId): string {
  return `machine:${machine}`;
}

/** `only`: the only machine that may claim the run. */
function queueOf(queued: QueueEntry, only: MachineId | null): string {
  const { pool, account, pinned, withoutClient } = queued;
  const machine = pinned ?? only;
  if (machine !== null) return machineQueue(machine);
  return poolQueue(pool, account, withoutClient === true ? "scripts" : "pool");
}

/** The DBOS workflow id of a queue entry. DBOS enqueues each id once. */
export function enqueueKey(run: RunId, entry: number): string {
  return `run:${run}:${String(entry)}`;
}

/** Null for ids of other workflows. */
export function parseEnqueueKey(name: string): Enqueued | null {
  const [, run, entry] = /^run:(.*):(\d+)$/s.exec(name) ?? [];
  return run === undefined ? null : { run, entry: Number(entry), name };
}

export interface Enqueued {
  readonly run: RunId;
  readonly entry: number;
  /** {@link enqueueKey} */
  readonly name: string;
}

/** A queue entry that was dispatched to a machine. */
export interface Dispatched extends Enqueued {
  readonly machine: MachineId;
}

/** Epoch ms. */
export type EpochMs = number;

export interface Queues {
  /** Idempotent. `only`: for this machine alone. */
  enqueue(id: RunId, placement: QueueEntry, at?: EpochMs, only?: MachineId | null): Promise<void>;
  cancel(id: RunId, placement: Pick<Placement, "entry">): Promise<void>;
  /** Deletes all entries of a run. */
  forget(id: RunId, placement: Pick<Placement, "entry">): Promise<void>;
  /** Entries that were dispatched to these machines and have not returned. */
  dispatchedTo(machines: readonly MachineId[]): Promise<readonly Dispatched[]>;
  close(): Promise<void>;
}

/**
 * Enqueues a run and records that in its row. Idempotent. If the process dies before the end, a worker does
 * the rest (`reaper.ts`).
 */
export async function enqueueRun(
  run: PlacedRun,
  { database, queues }: { readonly database: Queries; readonly queues: Queues },
): Promise<void> {
  const { id, placement } = run;
  await queues.enqueue(id, placement, placement.at ?? undefined, onlyMachine(run));
  await markQueued(database, id, placement.entry);
}

/** The only machine that has the files of a run; null: any machine may claim it. */
export function onlyMachine(run: PlacedRun): MachineId | null {
  return isTied(run) ? run.home : null;
}

export async function openQueues(address: DatabaseAddress, now: () => number): Promise<Queues> {
  const client = await translateErrors(address, openClient(address));
  return {
    enqueue: async (id, placement, at, only = null) => {
      // DBOS fails on fractions of a millisecond.
      const delay = at === undefined ? 0 : Math.max(0, Math.ceil(at - now()) / 1000);
      const queueName = queueOf(placement, only);
      const enqueued = client.enqueue(
        {
          queueName,
          workflowName: RUN_WORKFLOW,
          workflowID: enqueueKey(id, placement.entry),
          appVersion: APP_VERSION,
          ...(delay > 0 && { delaySeconds: delay }),
        },
        // DBOS does not pass the queue to the workflow.
        ...[id, queueName],
      );
      await translateErrors(address, enqueued);
    },
    cancel: (id, { entry }) =>
      translateErrors(address, client.cancelWorkflow(enqueueKey(id, entry))),
    forget: (id, { entry }) => {
      const keys = Array.from({ length: entry }, (_, at) => enqueueKey(id, at + 1));
      return translateErrors(address, client.deleteWorkflows(keys));
    },
    dispatchedTo: async (machines) => {
      const found = await client.listWorkflows({
        status: "PENDING",
        executorId: [...machines],
        ...{ loadInput: false, loadOutput: false },
      });
      return found.flatMap(({ workflowID, executorId: machine }) => {
        const enqueued = parseEnqueueKey(workflowID);
        return enqueued === null || machine === undefined ? [] : { ...enqueued, machine };
      });
    },
    close: () => client.close(),
  };
}
