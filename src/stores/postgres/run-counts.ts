import type { Queries } from "./database.ts";
import { EXPECTED } from "./placed-runs.ts";

/** How many runs of a fleet there are of each status, as `list` calls it. */
export async function runCounts(on: Queries): Promise<ReadonlyMap<string, number>> {
  const rows = await on.query<{ readonly status: string; readonly runs: number }>(COUNTS);
  return new Map(rows.map(({ status, runs }) => [status, runs]));
}

const COUNTS = `
WITH living AS MATERIALIZED (SELECT h.id FROM raymond.holders h WHERE raymond.lives(h))
SELECT CASE WHEN r.holder IN (SELECT id FROM living) THEN r.status
            WHEN ${EXPECTED} THEN 'queued'
            WHEN r.status IN ('running', 'waiting') THEN 'crashed'
            ELSE r.status END AS status, count(*)::integer AS runs
  FROM raymond.runs r WHERE r.state IS NOT NULL GROUP BY 1 ORDER BY 1`;
