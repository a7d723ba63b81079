import type { Queries } from "../store/database.ts";
import type { MachineId, MachineSighting } from "../store/rows/placement.ts";

/** A machine with runs, and no worker that lives. */
export interface DeadMachine {
  readonly id: MachineId;
  /** Null of one that nobody knows any more. */
  readonly sight: MachineSighting | null;
}

/**
 * Other machines with runs, and no worker that lives: when they were heard, by the clock of the database.
 * Homes are found one after the other in their index, however many runs each has.
 */
export async function deadMachines(on: Queries, me: MachineId): Promise<readonly DeadMachine[]> {
  const rows = await on.query<{ id: string; silent_ms: number | null }>(DEAD_MACHINES, [me]);
  return rows.map(({ id, silent_ms: silentMs }) => ({
    id,
    sight: silentMs === null ? null : { silentMs, lives: false },
  }));
}

/** @public A test asks the database how it finds them. */
export const DEAD_MACHINES = `
WITH RECURSIVE homes AS (
  SELECT min(home) AS home FROM raymond.runs WHERE status IN ('running', 'waiting')
  UNION ALL
  SELECT (SELECT min(home) FROM raymond.runs WHERE status IN ('running', 'waiting') AND home > homes.home)
    FROM homes WHERE home IS NOT NULL
)
SELECT home AS id, (extract(epoch FROM clock_timestamp() - max(h.heartbeat_at)) * 1000)::float8 AS silent_ms
  FROM homes LEFT JOIN raymond.holders h ON h.machine = home
 WHERE home <> $1
 GROUP BY home HAVING NOT coalesce(bool_or(raymond.is_alive(h)), false)`;
