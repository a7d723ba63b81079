import type { Clock } from "../../../engine/ports/clock.ts";
import type { RunId } from "../../../machine/run-state.ts";
import { type DispatchCheck, dispatchChecks } from "../../lease/dispatch-check.ts";
import { batcher } from "../../store/batcher.ts";
import type { Database } from "../../store/database.ts";
import type { AccountName, MachineId } from "../../store/rows/placement.ts";
import type { ClientHealth } from "../../worker/client-health.ts";
import { requeue } from "../../worker/runs/requeue.ts";
import type { DispatchSlot } from "../dispatch-slots.ts";
import { enqueueKey, type Queues } from "../queues.ts";
import { admit, endAdmission, pauseFor } from "./admissions.ts";

interface AdmissionOptions {
  readonly machine: MachineId;
  /** The id of this worker in `raymond.holders`. */
  readonly holder: number;
  readonly database: Database;
  readonly queues: Queues;
  /** The accounts whose credentials this worker has. */
  readonly accounts: readonly AccountName[];
  readonly clients: Pick<ClientHealth, "problemOf">;
  readonly clock: Clock;
  readonly until: AbortSignal;
  readonly log: (line: string) => void;
  readonly now: () => number;
}

/** Decides which dispatched runs a worker claims, and when. */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #check: (id: RunId) => Promise<DispatchCheck | null>;
  /** Runs that may be counted for their accounts. */
  readonly #entered = new Set<RunId>();
  #waiting = 0;

  constructor(options: AdmissionOptions) {
    const { database, machine } = options;
    this.#options = options;
    this.#check = batcher((ids) => dispatchChecks(database, ids, machine));
  }

  /**
   * Waits for the account of a dispatched run. Resolves with whether this worker is to run it; never, if the
   * worker shuts down. `key`: the DBOS workflow id.
   */
  async enter(id: RunId, key: string, slot: DispatchSlot): Promise<boolean> {
    const { clock, until } = this.#options;
    for (this.#waiting += 1; !until.aborted; ) {
      // Without a free slot here, another worker may admit it.
      const admitted = slot.reserve() ? await this.#decide(id, key).catch(() => null) : null;
      if (admitted !== null) {
        this.#waiting -= 1;
        if (!admitted) await this.exit(id);
        return admitted;
      }
      slot.release();
      await clock.sleep(pauseFor(this.#waiting, Math.random), until);
    }
    return new Promise(() => undefined);
  }

  /** The run has stopped here. Never rejects. */
  async exit(id: RunId): Promise<void> {
    const { database, holder } = this.#options;
    if (!this.#entered.delete(id)) return;
    await endAdmission(database, id, holder).catch(() => undefined);
  }

  /** Null: not yet. */
  async #decide(id: RunId, key: string): Promise<boolean | null> {
    const { database, holder, accounts, clients, log } = this.#options;
    const check = await this.#check(id);
    // Another queue entry has replaced this one.
    if (check === null || enqueueKey(id, check.entry) !== key) return false;
    const { account, entry, home } = check;
    if (home !== null) return this.#sendHome(id, key, home);
    const lacksClient = check.needsClient && clients.problemOf(account) !== null;
    // A draining worker may still receive runs for a moment.
    if (check.draining || (lacksClient && !check.onlyHere)) {
      await requeue(id, key, this.#options);
      return false;
    }
    // No other machine may claim it, so it waits until the client works.
    if (lacksClient) return null;
    if (account === null) return true;
    if (accounts.includes(account)) {
      this.#entered.add(id);
      return (await admit(database, { run: id, entry, account, holder })) ? true : null;
    }
    log(`${id}: waits: this worker does not serve account ${account}`);
    return null;
  }

  async #sendHome(id: RunId, key: string, home: MachineId): Promise<false> {
    if (await requeue(id, key, this.#options, { only: home }))
      this.#options.log(`${id}: requeued for its home ${home}`);
    return false;
  }
}
