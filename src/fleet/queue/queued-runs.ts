import type { Queries } from "../store/database.ts";
import { EXPECTED } from "../store/rows/placed-runs.ts";
import {
  type AccountName,
  hasClient,
  type MachineId,
  needsClient,
  type PoolName,
  tied,
} from "../store/rows/placement.ts";

/** Runs that somebody is to go on with, and nobody does yet: all that the same machines may take. */
export interface QueuedRuns {
  readonly runs: number;
  /** Of them, those that begin at a moment that somebody has named. */
  readonly later: number;
  /** The one of them that was submitted first. */
  readonly first: string;
  /** The machine that alone may take them; null: any of the pool. */
  readonly machine: MachineId | null;
  readonly pool: PoolName;
  readonly account: AccountName | null;
  /** Who may take them lives, and takes runs. */
  readonly served: boolean;
  /** Who may take them lives, and is drained. */
  readonly drained: boolean;
  /** Who may take them lives, and its client does not work. */
  readonly lacksClient: boolean;
}

/** All of them, by who may take them: the most first. */
export function queuedRuns(on: Queries): Promise<readonly QueuedRuns[]> {
  return on.query<QueuedRuns>(QUEUED);
}

/** Those that nobody who lives takes. */
export async function strandedRuns(on: Queries): Promise<readonly QueuedRuns[]> {
  return (await queuedRuns(on)).filter(({ served }) => !served);
}

const CLIENT = hasClient("takers", "alike.account");

const QUEUED = `
WITH living AS MATERIALIZED (
  SELECT h.id FROM raymond.holders h WHERE raymond.is_alive(h)
), takers AS MATERIALIZED (
  SELECT m.id, m.pools, m.accounts, m.draining, m.facts FROM raymond.machines m WHERE m.holder IN (SELECT id FROM living)
), queued AS (
  SELECT r.id, r.pool, r.account, r.submitted_at, ${needsClient("r")} AS needs,
         CASE WHEN r.placement->>'pinned' IS NOT NULL THEN r.placement->>'pinned'
              WHEN ${tied("r")} THEN r.home END AS machine,
         coalesce((r.placement->>'at')::float8 > extract(epoch FROM clock_timestamp()) * 1000, false)
           AND r.home IS NULL AS later
    FROM raymond.runs r
   WHERE ${EXPECTED}
     AND (r.holder IS NULL OR r.holder NOT IN (SELECT id FROM living))
), alike AS (
  SELECT machine, pool, account, needs, count(*)::int AS runs, (count(*) FILTER (WHERE later))::int AS later,
         (array_agg(id ORDER BY submitted_at, id))[1] AS first
    FROM queued GROUP BY machine, pool, account, needs
)
SELECT runs, later, first, machine, pool, account,
       coalesce(bool_or(NOT takers.draining AND (NOT needs OR ${CLIENT})), false) AS served,
       coalesce(bool_or(takers.draining), false) AS drained,
       coalesce(bool_or(NOT takers.draining AND needs AND NOT (${CLIENT})), false) AS "lacksClient"
  FROM alike LEFT JOIN takers ON (alike.account IS NULL OR alike.account = ANY(takers.accounts))
       AND CASE WHEN machine IS NULL THEN pool = ANY(takers.pools) ELSE takers.id = machine END
 GROUP BY machine, pool, account, needs, runs, later, first
 ORDER BY runs DESC, first`;
