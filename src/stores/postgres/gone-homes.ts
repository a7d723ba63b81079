import type { Queries } from "./database.ts";
import type { MachineId, Sight } from "./placement.ts";

/** A machine with runs, and no worker that lives. */
export interface GoneHome {
  readonly id: MachineId;
  /** Null of one that nobody knows any more. */
  readonly sight: Sight | null;
}

/**
 * Other machines with runs, and no worker that lives: when they were heard, by the clock of the database.
 * Homes are found one after the other in their index, however many runs each has.
 */
export async function goneHomes(on: Queries, me: MachineId): Promise<readonly GoneHome[]> {
  const rows = await on.query<{ id: string; silent_ms: number | null }>(GONE_HOMES, [me]);
  return rows.map(({ id, silent_ms: silentMs }) => ({
    id,
    sight: silentMs === null ? null : { silentMs, lives: false },
  }));
}

/** @public A test asks the database how it finds them. */
export const GONE_HOMES = `
WITH RECURSIVE homes AS (
  SELECT min(home) AS home FROM raymond.runs WHERE status IN ('running', 'waiting')
  UNION ALL
  SELECT (SELECT min(home) FROM raymond.runs WHERE status IN ('running', 'waiting') AND home > homes.home)
    FROM homes WHERE home IS NOT NULL
)
SELECT home AS id, (extract(epoch FROM clock_timestamp() - max(h.heard_at)) * 1000)::float8 AS silent_ms
  FROM homes LEFT JOIN raymond.holders h ON h.machine = home
 WHERE home <> $1
 GROUP BY home HAVING NOT coalesce(bool_or(raymond.lives(h)), false)`;
