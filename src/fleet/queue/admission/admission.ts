import type { Clock } from "../../../engine/ports/clock.ts";
import type { RunId } from "../../../machine/model/run-state.ts";
import { hasClients, neededAgents } from "../../lease/client-problems.ts";
import { listMachines } from "../../lease/machines.ts";
import { type Policy, refusalOf } from "../../policy/policy.ts";
import { batcher } from "../../store/batcher.ts";
import type { Database, Prepared, Queries } from "../../store/database.ts";
import { readPlacement } from "../../store/rows/placed-runs.ts";
import {
  type AccountName,
  type MachineId,
  needsClient,
  type Placement,
  tied,
} from "../../store/rows/placement.ts";
import type { ClientHealth } from "../../worker/client-health.ts";
import { requeue, requeueDelay } from "../../worker/runs/requeue.ts";
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
  /** What this worker may run; null: everything. */
  readonly policy: Policy | null;
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
  /** How often this worker has refused a run. */
  readonly #refusals = new Map<RunId, number>();
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
    const placement = readPlacement(check.placement)?.placement;
    // A newer raymond wrote it: this worker cannot claim it either.
    const refusal = placement === undefined ? null : refusalOf(this.#options.policy, placement);
    if (placement !== undefined && refusal !== null)
      return this.#refuse(id, key, placement, refusal);
    const lacksClient = check.needsClient && clients.problemOf(account, check.agents) !== null;
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

  /** Offers the run to the other workers. `why` is also derived from the stored policy, for people. */
  async #refuse(id: RunId, key: string, placement: Placement, why: string): Promise<false> {
    const before = this.#refusals.get(id) ?? 0;
    if (before === 0) {
      this.#options.log(`${id}: not claimed: the policy of this worker refuses it: ${why}`);
    }
    this.#refusals.set(id, before + 1);
    // This worker may be faster than the other one again.
    const isAllowed = await this.#isAllowedElsewhere(placement);
    const soon = Math.min(1_000 * 2 ** before, 4_000);
    await requeue(id, key, this.#options, { afterMs: isAllowed ? soon : requeueDelay() });
    return false;
  }

  /** Whether another worker in service has a policy that allows the run. */
  async #isAllowedElsewhere(placement: Placement): Promise<boolean> {
    const { pool, account, pinned } = placement;
    return (await listMachines(this.#options.database)).some(
      ({ lives, draining, policy, pools, accounts, id }) =>
        lives &&
        !draining &&
        (pinned === null ? pools.includes(pool) : id === pinned) &&
        (account === null || accounts.includes(account)) &&
        refusalOf(policy, placement) === null,
    );
  }

  async #sendHome(id: RunId, key: string, home: MachineId): Promise<false> {
    if (await requeue(id, key, this.#options, { only: home }))
      this.#options.log(`${id}: requeued for its home ${home}`);
    return false;
  }
}

/** The facts that decide whether a machine claims a run that was dispatched to it. */
interface DispatchCheck {
  /** Number of the current queue entry. */
  readonly entry: number;
  readonly account: AccountName | null;
  /** Another machine that is to run it: its files are only there, or it is the home and in service. */
  readonly home: MachineId | null;
  readonly draining: boolean;
  /** It has prompts, so it needs a working client. */
  readonly needsClient: boolean;
  readonly agents: readonly string[];
  /** Only this machine may claim it. */
  readonly onlyHere: boolean;
  /** The column `placement`. */
  readonly placement: unknown;
}

/** In the order of `ids`; null for runs that no worker is to run. */
async function dispatchChecks(
  on: Queries,
  ids: readonly RunId[],
  machine: MachineId,
): Promise<readonly (DispatchCheck | null)[]> {
  const rows = await on.query<DispatchCheck & { readonly id: RunId }>(CHECK, [ids, machine]);
  const byId = new Map(rows.map(({ id, ...check }) => [id, check]));
  return ids.map((id) => byId.get(id) ?? null);
}

/** After a restart, DBOS dispatches the runs of a worker from a common queue, possibly to other machines. */
const CHECK: Prepared = {
  name: "dispatch_check",
  text: `
SELECT r.id, r.account, r.placement, (r.placement->>'entry')::integer AS entry,
       CASE WHEN r.home <> $2 AND r.placement->>'pinned' IS DISTINCT FROM $2 AND (
         ${tied("r")} OR (NOT m.draining AND raymond.is_alive(h)
           AND (NOT (${needsClient("r")}) OR ${hasClients("m", "r.account", neededAgents("r"))}))
       ) THEN r.home END AS home,
       ${needsClient("r")} AS "needsClient", ${neededAgents("r")} AS agents,
       coalesce(r.placement->>'pinned' = $2, false) OR ${tied("r")} AS "onlyHere",
       coalesce((SELECT draining FROM raymond.machines WHERE id = $2), false) AS draining
  FROM raymond.runs r
  LEFT JOIN raymond.machines m ON m.id = r.home
  LEFT JOIN raymond.holders h ON h.id = m.holder
 WHERE r.id = ANY($1::text[]) AND r.placement @> '{"open": true}'`,
};
