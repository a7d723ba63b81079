import type { RunId } from "../../../machine/run-state.ts";
import type { Database, Prepared, Queries } from "../../store/database.ts";
import type { AccountName } from "../../store/rows/placement.ts";
import { ACTIVE_RUNS, STARTED_RUNS } from "../accounts.ts";

/*
 * How runs of an account are let in, so that its limits are exact over all machines:
 *
 * A1  Whoever asks has the row of the account locked, and counts after that: one after the other.
 * A2  A run counts while the worker that has let it in lives, and goes on with it. So a limit that is set, or
 *     changed, counts those as well that were let in before.
 * A3  A run begins once: whoever goes on with it later does so whatever the rate says.
 */

/** A run that is to go on, and who would do that. */
export interface AdmissionRequest {
  readonly run: RunId;
  /** Which going on of it: `entry` of its placement. */
  readonly entry: number;
  readonly account: AccountName;
  readonly holder: number;
}

/** Lets a run in where the limits of its account allow that; else it is seen to wait. Asked twice it is as once. */
export function admit(
  database: Database,
  { run, entry, account, holder }: AdmissionRequest,
): Promise<boolean> {
  return database.transaction(async (on) => {
    await on.query("SELECT 1 FROM raymond.accounts WHERE name = $1 FOR UPDATE", [account]);
    const [may] = await on.query<{ readonly full: boolean | null; readonly fast: boolean | null }>(
      MAY,
      [account, run],
    );
    if (may?.full === true || may?.fast === true) {
      await recordWaiting(on, { run, agent: "", account, holder });
      return false;
    }
    await on.query(LET_IN, [run, entry, account, holder]);
    return true;
  });
}

/** The run does not go on here any more. */
export async function endAdmission(on: Queries, run: RunId, holder: number): Promise<void> {
  await on.query(
    `WITH gone AS (DELETE FROM raymond.waiters WHERE run = $1 AND holder = $2)
     UPDATE raymond.runs SET admitted_by = NULL WHERE id = $1 AND admitted_by = $2`,
    [run, holder],
  );
}

/** Somebody who waits for what an account may do: a run (`agent` is empty), or a step of an agent. */
export interface Waiter {
  readonly run: RunId;
  readonly agent: string;
  readonly account: AccountName;
  readonly holder: number;
}

/** Others see from now on that somebody waits. */
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

/** What has no limit is not counted: the more runs there are, the longer that takes. */
const MAY: Prepared = {
  name: "may",
  text: `
SELECT CASE WHEN a.max_runs IS NOT NULL THEN a.max_runs <= ${ACTIVE_RUNS} END AS full,
       CASE WHEN a.rate_runs IS NOT NULL THEN a.rate_runs <= ${STARTED_RUNS}
         AND NOT EXISTS (SELECT 1 FROM raymond.run_starts WHERE run = $2) END AS fast
  FROM raymond.accounts a WHERE a.name = $1`,
};

/** What no rate asks for any more goes: a rate that is set later may ask for a day. */
const LET_IN: Prepared = {
  name: "let_in",
  text: `
WITH begins AS (
  INSERT INTO raymond.run_starts (run, entry, account) SELECT $1, $2, $3
   WHERE NOT EXISTS (SELECT 1 FROM raymond.run_starts WHERE run = $1)
), forgotten AS (
  DELETE FROM raymond.run_starts b USING raymond.accounts a WHERE b.account = a.name AND a.name = $3
     AND b.at < clock_timestamp() - greatest(a.rate_ms * interval '1 millisecond', interval '1 day')
     AND NOT EXISTS (SELECT 1 FROM raymond.runs r WHERE r.id = b.run AND r.status IN ('running', 'waiting'))
), waits AS (
  DELETE FROM raymond.waiters WHERE run = $1
)
UPDATE raymond.runs SET admitted_by = $4 WHERE id = $1`,
};

/**
 * The pause before a waiting run or step asks again, ms. It grows with the number of those
 * waiting on this machine, to limit the load.
 */
export function pauseFor(waiting: number, random: () => number): number {
  return PAUSE_MS * (0.5 + random()) * Math.max(1, waiting / 10);
}

const PAUSE_MS = 1_000;
