import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { settlesWithin } from "../../process/settles-within.ts";
import { loadPg } from "../queue/packages.ts";
import type { DatabaseAddress } from "./address.ts";
import { readAddress } from "./address.ts";
import { classifyError } from "./database-failure.ts";

/*
 * Access to a database that may be temporarily unavailable:
 *
 * D1  Every wait for a connection or an answer has a timeout: a query on a dead connection may never settle.
 * D2  A connection with an error other than a query error is discarded.
 * D3  While the database is away, one loop reconnects for all callers, with exponential backoff and jitter,
 *     to avoid a storm of reconnects.
 * D4  A query that is retried after a lost connection may have been executed. Callers must make retries
 *     harmless or detect them.
 */

/** A connection or a transaction. */
export interface Queries {
  /** Resolves with the rows. `values` are the parameters `$1`, `$2` …. */
  query<Row extends object>(
    statement: string | Prepared,
    values?: readonly unknown[],
  ): Promise<readonly Row[]>;
}

/** A prepared statement, for frequent statements whose planning is expensive. */
export interface Prepared {
  /** Unique among all statements. */
  readonly name: string;
  readonly text: string;
}

export interface Database extends Queries {
  readonly address: DatabaseAddress;
  /**
   * Runs queries on one connection, and repeats them if the connection is lost (D4). Rejects with
   * a RaymondError if the database stays away for longer than `patienceMs`, or refuses.
   */
  run<T>(work: (on: Queries) => Promise<T>): Promise<T>;
  /** Like `run`, in a transaction. */
  transaction<T>(work: (on: Queries) => Promise<T>): Promise<T>;
  /** A dedicated connection; the caller ends it. `prepare` runs first. */
  connect(prepare?: (client: pg.Client) => Promise<unknown>): Promise<pg.Client>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** How long to wait while the database is away or its disk is full, ms; 0: fail immediately. */
  readonly patienceMs?: number;
  /** Maximum number of connections. */
  readonly connections?: number;
  /** Query timeout, ms (D1). */
  readonly answerMs?: number;
  /** The application name in `pg_stat_activity`. */
  readonly name?: string;
}

/** Does not connect yet. Throws if the URL is invalid or pg is not installed. */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  return new PooledDatabase(readAddress(url), options);
}

class PooledDatabase implements Database {
  readonly address: DatabaseAddress;
  readonly #patienceMs: number;
  readonly #pool: pg.Pool;
  readonly #newClient: () => pg.Client;
  /** The loop that waits until the database is back, shared by all callers (D3). */
  #reconnecting: Promise<void> | null = null;

  constructor(address: DatabaseAddress, options: DatabaseOptions) {
    const { Pool, Client, types } = loadPg();
    const { patienceMs = 0, connections = 10, name = "raymond" } = options;
    const { answerMs = answerTimeout(patienceMs) } = options;
    const config: pg.ClientConfig = {
      connectionString: address.url,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: answerMs,
      // A transaction of a dead machine must not block others indefinitely.
      idle_in_transaction_session_timeout: 60_000,
      keepAlive: true,
      application_name: name,
      types: { getTypeParser: parserOf(types) },
    };
    this.address = address;
    this.#patienceMs = patienceMs;
    this.#newClient = () => new Client(config);
    this.#pool = new Pool({ ...config, max: connections, allowExitOnIdle: true });
    // An idle connection failed. The pool has removed it.
    this.#pool.on("error", () => undefined);
    this.#pool.on("connect", (client) => void client.query(DURABLE).catch(() => undefined));
  }

  run<T>(work: (on: Queries) => Promise<T>): Promise<T> {
    return this.#retry(() => this.#tryOnce(work));
  }

  query<Row extends object>(
    statement: string | Prepared,
    values?: readonly unknown[],
  ): Promise<readonly Row[]> {
    return this.run((on) => on.query<Row>(statement, values));
  }

  transaction<T>(work: (on: Queries) => Promise<T>): Promise<T> {
    return this.run((on) => inTransaction(on, work));
  }

  connect(prepare?: (client: pg.Client) => Promise<unknown>): Promise<pg.Client> {
    return this.#retry(() => this.#connectOnce(prepare));
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #tryOnce<T>(work: (on: Queries) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let failed: unknown = null;
    // A connection may fail while it is in use. The pending query rejects then (D2).
    const onError = (error: unknown) => (failed = error);
    client.on("error", onError);
    try {
      return await work(queriesOn(client));
    } catch (error) {
      if (classifyError(error, this.address).kind !== "again") failed = error;
      throw error;
    } finally {
      client.off("error", onError);
      client.release(failed !== null);
    }
  }

  async #connectOnce(prepare?: (client: pg.Client) => Promise<unknown>): Promise<pg.Client> {
    const client = this.#newClient();
    // Pending queries reject; without one, the next query does.
    client.on("error", () => undefined);
    try {
      await client.connect();
      await prepare?.(client);
      return client;
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
  }

  async #retry<T>(attempt: () => Promise<T>): Promise<T> {
    const start = performance.now();
    for (let conflicts = 0; ; ) {
      try {
        return await attempt();
      } catch (error) {
        const failure = classifyError(error, this.address);
        if (failure.kind === "bug") throw error;
        if (failure.kind === "refused") throw failure.error;
        if (failure.kind === "again") {
          conflicts += 1;
          if (conflicts > MAX_CONFLICTS) throw error;
          await delay(Math.random() * 20 * conflicts);
          continue;
        }
        const left = this.#patienceMs - (performance.now() - start);
        if (left <= 0) throw failure.error;
        if (failure.kind === "full") await delay(Math.min(left, FULL_MS * (0.5 + Math.random())));
        else await this.#untilBack(left);
      }
    }
  }

  /** Resolves when the database may be back, or after `ms`. */
  async #untilBack(ms: number): Promise<void> {
    this.#reconnecting ??= this.#reconnect().finally(() => (this.#reconnecting = null));
    await settlesWithin(this.#reconnecting, ms);
  }

  /** Resolves when the database answers, or waiting is useless. */
  async #reconnect(): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      await delay(pause * (0.5 + Math.random()));
      try {
        await this.#tryOnce((on) => on.query("SELECT 1"));
        return;
      } catch (error) {
        if (classifyError(error, this.address).kind !== "away") return;
      }
    }
  }
}

/** Query timeout, ms. It leaves time for a retry on another connection. */
function answerTimeout(patienceMs: number): number {
  return patienceMs === 0 ? ANSWER_MS : Math.min(ANSWER_MS, Math.max(1_000, patienceMs / 2));
}

const ANSWER_MS = 15_000;

/** Overrides the server setting: a reported save must survive a power loss. */
const DURABLE = `SELECT set_config('synchronous_commit', 'on', false)
  WHERE current_setting('synchronous_commit') = 'off'`;

const CONNECT_MS = 5_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** Pause between retries while its disk is full, ms. */
const FULL_MS = 1_000;
const MAX_CONFLICTS = 20;

export function queriesOn(client: Pick<pg.ClientBase, "query">): Queries {
  return {
    query: async <Row extends object>(
      statement: string | Prepared,
      values: readonly unknown[] = [],
    ) => {
      const query = typeof statement === "string" ? { text: statement } : statement;
      const { rows } = await client.query<Row>({ ...query, values: [...values] });
      return rows;
    },
  };
}

async function inTransaction<T>(on: Queries, work: (on: Queries) => Promise<T>): Promise<T> {
  await on.query("BEGIN");
  try {
    const value = await work(on);
    await on.query("COMMIT");
    return value;
  } catch (error) {
    // If the connection is lost, the server has rolled back.
    await on.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** Returns 64-bit integers as numbers: all values are below 2^53. */
function parserOf({
  getTypeParser,
  builtins,
}: typeof pg.types): pg.CustomTypesConfig["getTypeParser"] {
  return (type: Parameters<typeof getTypeParser>[0]) =>
    type === builtins.INT8 ? Number : (getTypeParser(type) as unknown);
}
