import type { FleetQueue } from "../../inspect/fleet-board.ts";
import { hasClients, neededAgents } from "../lease/client-problems.ts";
import type { Queries } from "../store/database.ts";
import { EXPECTED } from "../store/rows/placed-runs.ts";
import { needsClient, tied } from "../store/rows/placement.ts";

/** Queued runs, grouped by the machines that may claim them, largest group first. */
export function queuedRuns(on: Queries): Promise<readonly FleetQueue[]> {
  return on.query<FleetQueue>(QUEUED);
}

/** Queued runs that no live worker claims. */
export async function strandedRuns(on: Queries): Promise<readonly FleetQueue[]> {
  return (await queuedRuns(on)).filter(({ served }) => !served);
}

const CLIENT = hasClients("claimers", "alike.account", "alike.agents");

const QUEUED = `
WITH living AS MATERIALIZED (
  SELECT h.id FROM raymond.holders h WHERE raymond.is_alive(h)
), claimers AS MATERIALIZED (
  SELECT m.id, m.pools, m.accounts, m.draining, m.facts FROM raymond.machines m WHERE m.holder IN (SELECT id FROM living)
), queued AS (
  SELECT r.id, r.pool, r.account, r.submitted_at, ${needsClient("r")} AS needs, ${neededAgents("r")} AS agents,
         CASE WHEN r.placement->>'pinned' IS NOT NULL THEN r.placement->>'pinned'
              WHEN ${tied("r")} THEN r.home END AS machine,
         coalesce((r.placement->>'at')::float8 > extract(epoch FROM clock_timestamp()) * 1000, false)
           AND r.home IS NULL AS later
    FROM raymond.runs r
   WHERE ${EXPECTED}
     AND (r.holder IS NULL OR r.holder NOT IN (SELECT id FROM living))
), alike AS (
  SELECT machine, pool, account, needs, agents, count(*)::int AS runs, (count(*) FILTER (WHERE later))::int AS later,
         (array_agg(id ORDER BY submitted_at, id))[1] AS first
    FROM queued GROUP BY machine, pool, account, needs, agents
)
SELECT runs, later, first, machine, pool, account,
       coalesce(bool_or(NOT claimers.draining AND (NOT needs OR ${CLIENT})), false) AS served,
       coalesce(bool_or(claimers.draining), false) AS drained,
       coalesce(bool_or(NOT claimers.draining AND needs AND NOT (${CLIENT})), false) AS "lacksClient"
  FROM alike LEFT JOIN claimers ON (alike.account IS NULL OR alike.account = ANY(claimers.accounts))
       AND CASE WHEN machine IS NULL THEN pool = ANY(claimers.pools) ELSE claimers.id = machine END
 GROUP BY machine, pool, account, needs, agents, runs, later, first
 ORDER BY runs DESC, first`;
