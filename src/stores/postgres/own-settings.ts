import type pg from "pg";
import type { DatabaseAddress } from "./address.ts";
import { libraryPool } from "./library-pool.ts";

/** What a worker has set for itself. */
export interface OwnSettings {
  /** So many runs of this queue it may have now, with those that it has. */
  readonly boundOf: (queue: string) => number;
  /** Between two looks into a queue, ms. */
  readonly pollMs: number;
}

/*
 * The settings of a queue are a row of the library's, one for all workers that listen for it: the worker that
 * registered it last would set for all others how many runs they take at once, and how often they look. And
 * the library reads that row again each second, so nothing that is set in memory stays.
 *
 * But whoever uses the library may bring the connections that it asks by (`systemDatabasePool`). By these a
 * worker reads its own settings in each such row. So it takes as many runs as it has slots, and not one more:
 * what it cannot begin stays in its queue for whoever is free first. How many more it may take of one queue
 * changes with what it has taken from another: that is counted when the library asks for it, which looks into
 * one queue after the other (`maxConcurrentQueueDispatches` of dbos.ts).
 */

/** Connections for the library by which a worker finds its own settings in the row of each queue. */
export function poolWithOwnSettings(
  address: DatabaseAddress,
  config: pg.PoolConfig,
  own: OwnSettings,
  warn: (line: string) => void,
): pg.Pool {
  const pool = libraryPool(address, config, warn);
  const ask = pool.query.bind(pool) as (...asked: readonly unknown[]) => Promise<pg.QueryResult>;
  const query = async (...asked: readonly unknown[]): Promise<pg.QueryResult> => {
    const result = await ask(...asked);
    return { ...result, rows: result.rows.map((row: object) => withOwn(row, own)) };
  };
  return Object.assign(pool, { query });
}

/** The row with what is the worker's own; any other row than that of a queue as it is. */
function withOwn(row: object, { boundOf, pollMs }: OwnSettings): object {
  if (!("name" in row && "worker_concurrency" in row && "polling_interval_sec" in row)) return row;
  const queue = String(row.name);
  const bound = { valueOf: () => boundOf(queue) };
  return { ...row, worker_concurrency: bound, polling_interval_sec: pollMs / 1000 };
}
