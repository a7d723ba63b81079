import type { Clock } from "../../../engine/ports/clock.ts";
import type { RunId } from "../../../machine/run-state.ts";
import { dispatchChecks } from "../../lease/dispatch-check.ts";
import { batcher } from "../../store/batcher.ts";
import type { Database } from "../../store/database.ts";
import type { AccountName, MachineId } from "../../store/rows/placement.ts";
import type { ClientHealth } from "../../worker/client-health.ts";
import { requeue } from "../../worker/runs/requeue.ts";
import type { DispatchSlot } from "../dispatch-slots.ts";
import { enqueueKey, type Queues } from "../queues.ts";
import { admit, endAdmission, pauseFor } from "./admissions.ts";

/** What lets runs in that a worker was handed. */
export interface Admission {
  /** Resolves with whether what DBOS calls by this name is to be gone on with here, as soon as it may: it can have to wait for its account. */
  enter(id: RunId, name: string, claim: DispatchSlot): Promise<boolean>;
  /** It does not go on here any more. Never rejects. */
  exit(id: RunId): Promise<void>;
}

interface AdmissionOptions {
  readonly machine: MachineId;
  /** The row of `raymond.holders` that is this worker. */
  readonly holder: number;
  readonly database: Database;
  readonly queues: Queues;
  /** Those that this worker has credentials for. */
  readonly accounts: readonly AccountName[];
  readonly clients: Pick<ClientHealth, "problemOf">;
  readonly clock: Clock;
  readonly until: AbortSignal;
  readonly log: (line: string) => void;
  readonly now: () => number;
}

/** The admission of a worker. */
export function admission(of: AdmissionOptions): Admission {
  const { machine, holder, database, accounts, clients, clock, until, log } = of;
  const checkOf = batcher((ids: readonly RunId[]) => dispatchChecks(database, ids, machine));
  const entered = new Set<RunId>();
  let waiting = 0;
  /** Null: not yet. */
  const ask = async (id: RunId, name: string): Promise<boolean | null> => {
    const standing = await checkOf(id);
    if (standing === null) return false;
    const { account, entry, home, draining, needsClient, onlyHere } = standing;
    // It was enqueued anew since.
    if (enqueueKey(id, entry) !== name) return false;
    if (home !== null) return sendHome(id, name, home, of);
    // It was handed out before this worker has heard that it is drained.
    if (draining) {
      await requeue(id, name, of);
      return false;
    }
    if (needsClient && clients.problemOf(account) !== null) {
      // Nobody else may have it: it waits until the client works, and holds no slot.
      if (onlyHere) return null;
      await requeue(id, name, of);
      return false;
    }
    if (account === null) return true;
    if (accounts.includes(account)) {
      entered.add(id);
      return (await admit(database, { run: id, entry, account, holder })) ? true : null;
    }
    log(`${id}: waits: this worker does not serve account ${account}`);
    return null;
  };
  const exit = async (id: RunId): Promise<void> => {
    if (!entered.delete(id)) return;
    await endAdmission(database, id, holder).catch(() => undefined);
  };
  return {
    enter: async (id, name, claim) => {
      for (waiting += 1; !until.aborted; ) {
        // While this worker has no slot free, another may let it in.
        const may = claim.reserve() ? await ask(id, name).catch(() => null) : null;
        if (may !== null) {
          waiting -= 1;
          if (!may) await exit(id);
          return may;
        }
        claim.release();
        await clock.sleep(pauseFor(waiting, Math.random), until);
      }
      return new Promise(() => undefined);
    },
    exit: exit,
  };
}

/** Requeues a run for its home. */
async function sendHome(
  id: RunId,
  name: string,
  home: MachineId,
  of: AdmissionOptions,
): Promise<false> {
  if (await requeue(id, name, of, { only: home })) of.log(`${id}: requeued for its home ${home}`);
  return false;
}
