import type { Queries } from "./database.ts";
import { type AccountName, type MachineId, type PoolName, tied } from "./placement.ts";

/** Runs that somebody is to go on with, while nobody who may is there. */
export interface Stranded {
  readonly runs: number;
  /** The one of them that was submitted first. */
  readonly first: string;
  /** The machine that alone may take them; null: any of the pool. */
  readonly machine: MachineId | null;
  readonly pool: PoolName;
  readonly account: AccountName | null;
  /** Who may take them lives, and is drained. */
  readonly drained: boolean;
}

/** All of them, by what they wait for. */
export function strandedRuns(on: Queries): Promise<readonly Stranded[]> {
  return on.query<Stranded>(STRANDED);
}

const STRANDED = `
WITH living AS MATERIALIZED (
  SELECT h.id FROM raymond.holders h WHERE raymond.lives(h)
), takers AS MATERIALIZED (
  SELECT m.id, m.pools, m.accounts, m.draining FROM raymond.machines m WHERE m.holder IN (SELECT id FROM living)
), queued AS (
  SELECT r.id, r.pool, r.account, r.submitted_at,
         CASE WHEN r.placement->>'pinned' IS NOT NULL THEN r.placement->>'pinned'
              WHEN ${tied("r")} THEN r.home END AS machine
    FROM raymond.runs r
   WHERE r.status IN ('running', 'waiting') AND r.placement @> '{"open": true}'
     AND (r.holder IS NULL OR r.holder NOT IN (SELECT id FROM living))
), alike AS (
  SELECT machine, pool, account, count(*)::int AS runs,
         (array_agg(id ORDER BY submitted_at, id))[1] AS first
    FROM queued GROUP BY machine, pool, account
)
SELECT alike.*, coalesce(bool_or(takers.draining), false) AS drained
  FROM alike LEFT JOIN takers ON (alike.account IS NULL OR alike.account = ANY(takers.accounts))
       AND CASE WHEN machine IS NULL THEN pool = ANY(takers.pools) ELSE takers.id = machine END
 GROUP BY machine, pool, account, runs, first
HAVING NOT coalesce(bool_or(NOT takers.draining), false)
 ORDER BY runs DESC, first`;
