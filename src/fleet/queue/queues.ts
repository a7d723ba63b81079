import type { RunId } from "../../machine/run-state.ts";
import type { DatabaseAddress } from "../store/address.ts";
import { translateErrors } from "../store/database-failure.ts";
import type { AccountName, MachineId, Placement, PoolName } from "../store/rows/placement.ts";
import { APP_VERSION, openClient, RUN_WORKFLOW } from "./dbos/dbos.ts";

/**
 * The queue that a run waits in. Runs of one account in one pool have a queue of
 * their own, so that limits are exact, and a worker listens only to those of accounts
 * that it has credentials for. So have runs that need no client: a worker whose client does not work claims only those.
 */
export function poolQueue(
  pool: PoolName,
  account: AccountName | null,
  kind: QueueKind = "pool",
): string {
  return account === null ? `${kind}:${pool}` : `${kind}:${pool}/${account}`;
}

/** `scripts`: of runs that need no client. */
type QueueKind = "pool" | "scripts";

/** The queue of runs that this machine alone may take. */
export function machineQueue(machine: MachineId): string {
  return `machine:${machine}`;
}

/** The queue for a run that is to be taken: that of one machine, where only that may. */
export function queueOf(queued: QueueEntry, only: MachineId | null): string {
  const { pool, account, pinned, withoutClient } = queued;
  const machine = pinned ?? only;
  if (machine !== null) return machineQueue(machine);
  return poolQueue(pool, account, withoutClient === true ? "scripts" : "pool");
}

/**
 * What DBOS calls one going on of a run, from its start or a resume to its next stop:
 * the same name is never enqueued twice.
 */
export function enqueueKey(run: RunId, entry: number): string {
  return `run:${run}:${String(entry)}`;
}

/** The run of such a name, and the number of its going on; null of any other name. */
export function parseEnqueueKey(name: string): Enqueued | null {
  const [, run, entry] = /^run:(.*):(\d+)$/s.exec(name) ?? [];
  return run === undefined ? null : { run, entry: Number(entry), name };
}

/** One going on of a run, as DBOS knows it. */
export interface Enqueued {
  readonly run: RunId;
  readonly entry: number;
  readonly name: string;
}

/** The same, in the hands of a machine. */
export interface Dispatched extends Enqueued {
  readonly machine: MachineId;
}

/** Epoch ms. */
export type EpochMs = number;

/** What tells the queue of a run. */
export type QueueEntry = Pick<Placement, "pool" | "account" | "pinned" | "entry" | "withoutClient">;

/** Where runs wait for somebody to take them. */
export interface Queues {
  /** Puts one going on of a run into its queue; `only`: for this machine alone. Twice is as once. */
  enqueue(id: RunId, placement: QueueEntry, at?: EpochMs, only?: MachineId | null): Promise<void>;
  /** Nobody is to take it any more. */
  cancel(id: RunId, placement: Pick<Placement, "entry">): Promise<void>;
  /** The run is gone: nothing of its goings on is remembered. */
  forget(id: RunId, placement: Pick<Placement, "entry">): Promise<void>;
  /** What was handed to one of these machines, and is not over. */
  dispatchedTo(machines: readonly MachineId[]): Promise<readonly Dispatched[]>;
  close(): Promise<void>;
}

/** The queues of the fleet at this address, from any machine. */
export async function openQueues(address: DatabaseAddress, now: () => number): Promise<Queues> {
  const client = await translateErrors(address, openClient(address));
  return {
    enqueue: async (id, placement, at, only = null) => {
      // Whole ms: the library writes down nothing else, and fails.
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
        // Whoever takes it does not hear otherwise where it comes from.
        ...[id, queueName],
      );
      await translateErrors(address, enqueued);
    },
    cancel: (id, { entry }) =>
      translateErrors(address, client.cancelWorkflow(enqueueKey(id, entry))),
    forget: (id, { entry }) => {
      const names = Array.from({ length: entry }, (_, at) => enqueueKey(id, at + 1));
      return translateErrors(address, client.deleteWorkflows(names));
    },
    dispatchedTo: async (machines) => {
      const found = await client.listWorkflows({
        status: "PENDING",
        executorId: [...machines],
        ...{ loadInput: false, loadOutput: false },
      });
      return found.flatMap(({ workflowID, executorId: machine }) => {
        const going = parseEnqueueKey(workflowID);
        return going === null || machine === undefined ? [] : { ...going, machine };
      });
    },
    close: () => client.close(),
  };
}
