import type pg from "pg";
import type { DatabaseAddress } from "../../store/address.ts";
import { loadPg } from "../packages.ts";

/*
 * DBOS lets an application provide its connection pool (`systemDatabasePool`). This pool adds two
 * things for which DBOS 5.3 has no option:
 *
 * Q1  A query timeout that closes the connection. DBOS waits for an answer indefinitely, and does not
 *     retry after the `query_timeout` of pg, which also keeps the dead connection in the pool.
 * Q2  Queue settings per worker. DBOS stores them in one row per queue for all workers, and reads it
 *     every second. The pool replaces the limit and the poll interval in that row by those of this
 *     worker. The limit is evaluated when DBOS uses it, because runs from all queues share the slots.
 */

/** The queue settings of this worker (Q2). */
export interface QueueSettings {
  /** How many runs of a queue this worker may have now, including those that it has. */
  readonly limitOf: (queue: string) => number;
  readonly pollMs: number;
}

/** A pool for DBOS; the caller ends it. `settings`: null for clients that dequeue nothing. */
export function dbosPool(
  address: DatabaseAddress,
  config: pg.PoolConfig,
  warn: (line: string) => void,
  { settings = null, timeoutMs = TIMEOUT_MS }: DbosPoolOptions = {},
): pg.Pool {
  const { Pool, Client } = loadPg();
  class TimeoutClient extends Client {
    constructor(own?: pg.ClientConfig) {
      super(own);
      const query = this.query.bind(this) as Query;
      Object.assign(this, { query: withTimeout(query, timeoutMs, () => this.end()) });
    }
  }
  // `allowExitOnIdle`: DBOS ends only pools of its own, so idle connections must not block the exit.
  const pool = new Pool({
    ...config,
    connectionString: address.url,
    allowExitOnIdle: true,
    Client: TimeoutClient as unknown as new () => pg.ClientBase,
  });
  pool.on("error", (error) => {
    warn(`Unexpected error in pool: ${error.message}`);
  });
  if (settings === null) return pool;
  const query = pool.query.bind(pool) as (...args: readonly unknown[]) => Promise<pg.QueryResult>;
  const withSettings = async (...args: readonly unknown[]): Promise<pg.QueryResult> => {
    const result = await query(...args);
    return { ...result, rows: result.rows.map((row: object) => replaceSettings(row, settings)) };
  };
  return Object.assign(pool, { query: withSettings });
}

export interface DbosPoolOptions {
  readonly settings?: QueueSettings | null;
  readonly timeoutMs?: number;
}

/** As long as other queries of raymond wait. */
const TIMEOUT_MS = 15_000;

type Query = (...args: readonly unknown[]) => unknown;

/** Q1. Supports the callback and the promise form of `query`. */
function withTimeout(query: Query, timeoutMs: number, close: () => Promise<void>): Query {
  return (...args) => {
    // Closing the connection rejects the query with an error that DBOS retries.
    const timer = setTimeout(() => void close().catch(() => undefined), timeoutMs);
    const last = args.at(-1);
    if (typeof last === "function") {
      const callback = (...answer: readonly unknown[]): unknown => {
        clearTimeout(timer);
        return (last as Query)(...answer);
      };
      return query(...args.slice(0, -1), callback);
    }
    const answer = query(...args) as Promise<unknown>;
    const stop = () => {
      clearTimeout(timer);
    };
    answer.then(stop, stop);
    return answer;
  };
}

/** Q2. Rows of other tables stay as they are. */
function replaceSettings(row: object, { limitOf, pollMs }: QueueSettings): object {
  if (!("name" in row && "worker_concurrency" in row && "polling_interval_sec" in row)) return row;
  const queue = String(row.name);
  const limit = { valueOf: () => limitOf(queue) };
  return { ...row, worker_concurrency: limit, polling_interval_sec: pollMs / 1000 };
}
