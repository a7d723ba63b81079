import type { RunId } from "../../../machine/model/run-state.ts";
import type { Database, Prepared, Queries } from "../../store/database.ts";
import type { AccountName } from "../../store/rows/placement.ts";
import { ACTIVE_RUNS, STARTED_RUNS } from "../accounts.ts";

/*
 * How runs of an account are admitted, so that its limits are exact across all machines:
 *
 * A1  A request locks the row of the account before it counts, so requests are handled one at a time.
 * A2  An admitted run counts while the worker that runs it is alive. So a new or changed limit also counts
 *     runs that were admitted before.
 * A3  A run counts once for the rate limit, however often it is resumed.
 */

export interface AdmissionRequest {
  readonly run: RunId;
  /** Number of its queue entry. */
  readonly entry: number;
  readonly account: AccountName;
  readonly holder: number;
}

/** Admits a run if the limits of its account allow it; otherwise records that it waits. Idempotent. */
export function admit(
  database: Database,
  { run, entry, account, holder }: AdmissionRequest,
): Promise<boolean> {
  return database.transaction(async (on) => {
    await lockAccount(on, account);
    const [reached] = await on.query<{ runs: boolean | null; rate: boolean | null }>(
      REACHED_LIMITS,
      [account, run],
    );
    if (reached?.runs === true || reached?.rate === true) {
      await recordWaiting(on, { run, agent: "", account, holder });
      return false;
    }
    await on.query(ADMIT, [run, entry, account, holder]);
    return true;
  });
}

export async function endAdmission(on: Queries, run: RunId, holder: number): Promise<void> {
  await on.query(
    `WITH gone AS (DELETE FROM raymond.waiters WHERE run = $1 AND holder = $2)
     UPDATE raymond.runs SET admitted_by = NULL WHERE id = $1 AND admitted_by = $2`,
    [run, holder],
  );
}

/** A run (`agent` is empty), or a step of an agent, that waits for a limit of its account. */
export interface Waiter {
  readonly run: RunId;
  readonly agent: string;
  readonly account: AccountName;
  readonly holder: number;
}

/** Lists a waiter in `raymond.waiters`. */
export async function recordWaiting(
  on: Queries,
  { run, agent, account, holder }: Waiter,
): Promise<void> {
  await on.query(
    `INSERT INTO raymond.waiters (run, agent, account, holder) VALUES ($1, $2, $3, $4)
     ON CONFLICT (run, agent) DO UPDATE SET holder = excluded.holder
      WHERE waiters.holder <> excluded.holder`,
    [run, agent, account, holder],
  );
}

export async function lockAccount(on: Queries, account: AccountName): Promise<void> {
  await on.query("SELECT 1 FROM raymond.accounts WHERE name = $1 FOR UPDATE", [account]);
}

/** Counts only what has a limit: counting takes longer the more runs there are. */
const REACHED_LIMITS: Prepared = {
  name: "reached_limits",
  text: `
SELECT CASE WHEN a.max_runs IS NOT NULL THEN a.max_runs <= ${ACTIVE_RUNS} END AS runs,
       CASE WHEN a.rate_runs IS NOT NULL THEN a.rate_runs <= ${STARTED_RUNS}
         AND NOT EXISTS (SELECT 1 FROM raymond.run_starts WHERE run = $2) END AS rate
  FROM raymond.accounts a WHERE a.name = $1`,
};

/** Starts are kept for a day at least, for a rate limit that is set later. */
const ADMIT: Prepared = {
  name: "admit",
  text: `
WITH started AS (
  INSERT INTO raymond.run_starts (run, entry, account) SELECT $1, $2, $3
   WHERE NOT EXISTS (SELECT 1 FROM raymond.run_starts WHERE run = $1)
), forgotten AS (
  DELETE FROM raymond.run_starts s USING raymond.accounts a WHERE s.account = a.name AND a.name = $3
     AND s.at < clock_timestamp() - greatest(a.rate_ms * interval '1 millisecond', interval '1 day')
     AND NOT EXISTS (SELECT 1 FROM raymond.runs r WHERE r.id = s.run AND r.status IN ('running', 'waiting'))
), waits AS (
  DELETE FROM raymond.waiters WHERE run = $1
)
UPDATE raymond.runs SET admitted_by = $4 WHERE id = $1`,
};

/** Pause before a waiting run or step requests again, ms. It grows with the number of waiters, to limit the load. */
export function pauseFor(waiting: number, random: () => number): number {
  return PAUSE_MS * (0.5 + random()) * Math.max(1, waiting / 10);
}

const PAUSE_MS = 1_000;
