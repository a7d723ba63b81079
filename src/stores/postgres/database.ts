import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import type { DatabaseAddress } from "./address.ts";
import { readAddress } from "./address.ts";
import { loadPg } from "./packages.ts";
import { troubleOf } from "./trouble.ts";

/*
 * How a database that comes and goes is used:
 *
 * D1  Every wait has a bound: for a connection, for an answer. A query on a dead
 *     connection may never settle by itself.
 * D2  A connection on which anything but the query itself has failed is thrown away.
 * D3  While the database is away one loop asks for it, for all who wait, with
 *     growing pauses of random length: a storm of reconnects would exhaust it.
 * D4  What is asked again after a lost connection may be done already. So who asks
 *     sees to it that a second time does no harm, or finds out.
 */

/** Somewhere to ask: a connection, or a transaction on it. */
export interface Queries {
  /** The rows that a statement gives; `$1` … stand for the values. */
  query<Row extends object>(
    statement: string | Prepared,
    values?: readonly unknown[],
  ): Promise<readonly Row[]>;
}

/** A statement that is asked so often that each connection plans it only once: for a long one that is most of its cost. */
export interface Prepared {
  /** No other statement has it. */
  readonly name: string;
  readonly text: string;
}

/** The database of a fleet. */
export interface Database extends Queries {
  readonly address: DatabaseAddress;
  /**
   * Does the work on one connection, and all of it again where the connection is lost
   * (D4). Rejects with a RaymondError when the database is away for longer than one is
   * patient, and where it refuses.
   */
  run<T>(work: (on: Queries) => Promise<T>): Promise<T>;
  /** The same in a transaction: all of it, or nothing. */
  transaction<T>(work: (on: Queries) => Promise<T>): Promise<T>;
  /**
   * A connection of one's own that is open, and prepared: what it holds is let go when it
   * ends. Whoever takes it ends it.
   */
  connect(prepare?: (client: pg.Client) => Promise<unknown>): Promise<pg.Client>;
  /** Lets go of all connections. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** For how long a database that is away, or has a full disk, is waited for; 0: who asks is told at once. */
  readonly patienceMs?: number;
  /** Connections at once. */
  readonly connections?: number;
  /** For how long an answer is waited for (D1). */
  readonly answerMs?: number;
  /** How this process is called in `pg_stat_activity`. */
  readonly name?: string;
}

/** The database at a URL. Nothing is asked of it yet. Throws where the URL, or the client, will not do. */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const address = readAddress(url);
  const { Pool, Client, types } = loadPg();
  const { patienceMs = 0, connections = 10, name = "raymond" } = options;
  const { answerMs = answerTimeout(patienceMs) } = options;
  const config: pg.ClientConfig = {
    connectionString: address.url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: answerMs,
    // What a process leaves open when its machine is gone must not block the others for ever.
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
    application_name: name,
    types: { getTypeParser: parserOf(types) },
  };
  const pool = new Pool({ ...config, max: connections, allowExitOnIdle: true });
  // Of a connection that nobody uses: it is taken out of the pool, and that is all.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => void client.query(DURABLE).catch(() => undefined));
  let waiting: Promise<void> | null = null;

  const tryOnce = async <T>(work: (on: Queries) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    let failed: unknown = null;
    // A connection may fail while it is ours: whoever waits for an answer is told by it (D2).
    const noted = (error: unknown) => (failed = error);
    client.on("error", noted);
    try {
      return await work(queriesOn(client));
    } catch (error) {
      if (troubleOf(error, address).kind !== "again") failed = error;
      throw error;
    } finally {
      client.off("error", noted);
      client.release(failed !== null);
    }
  };
  /** Resolves when the database answers, or when it is no use to wait (D3). */
  const untilBack = async (): Promise<void> => {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      await delay(pause * (0.5 + Math.random()));
      try {
        await tryOnce((on) => on.query("SELECT 1"));
        return;
      } catch (error) {
        if (troubleOf(error, address).kind !== "away") return;
      }
    }
  };
  const patiently = async <T>(attempt: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    for (let conflicts = 0; ; ) {
      try {
        return await attempt();
      } catch (error) {
        const trouble = troubleOf(error, address);
        if (trouble.kind === "bug") throw error;
        if (trouble.kind === "refused") throw trouble.error;
        if (trouble.kind === "again") {
          conflicts += 1;
          if (conflicts > MOST_CONFLICTS) throw error;
          await delay(Math.random() * 20 * conflicts);
          continue;
        }
        const left = patienceMs - (performance.now() - began);
        if (left <= 0) throw trouble.error;
        if (trouble.kind === "full") {
          await delay(Math.min(left, FULL_MS * (0.5 + Math.random())));
          continue;
        }
        waiting ??= untilBack().finally(() => (waiting = null));
        await orAfter(waiting, left);
      }
    }
  };
  const connectOnce = async (prepare?: (client: pg.Client) => Promise<unknown>) => {
    const client = new Client(config);
    // Whoever waits for something on it is told; who does not, looks at it in time.
    client.on("error", () => undefined);
    try {
      await client.connect();
      await prepare?.(client);
      return client;
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
  };
  const run = <T>(work: (on: Queries) => Promise<T>) => patiently(() => tryOnce(work));
  return {
    address,
    run,
    query: (statement, values) => run((on) => on.query(statement, values)),
    transaction: (work) => run((on) => inTransaction(on, work)),
    connect: (prepare) => patiently(() => connectOnce(prepare)),
    close: () => pool.end(),
  };
}

/** How long an answer is waited for, ms: where one is patient, time is left to ask again on another connection. */
function answerTimeout(patienceMs: number): number {
  return patienceMs === 0 ? ANSWER_MS : Math.min(ANSWER_MS, Math.max(1_000, patienceMs / 2));
}

const ANSWER_MS = 15_000;

/** Whatever the server is set to: what a save has told must not be lost with its machine. */
const DURABLE = `SELECT set_config('synchronous_commit', 'on', false)
  WHERE current_setting('synchronous_commit') = 'off'`;

const CONNECT_MS = 5_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** Between two tries where its disk is full: nothing tells when there is room. */
const FULL_MS = 1_000;
const MOST_CONFLICTS = 20;

/** A connection as somewhere to ask. */
export function queriesOn(client: Pick<pg.ClientBase, "query">): Queries {
  return {
    query: async <Row extends object>(
      statement: string | Prepared,
      values: readonly unknown[] = [],
    ) => {
      const asked = typeof statement === "string" ? { text: statement } : statement;
      const { rows } = await client.query<Row>({ ...asked, values: [...values] });
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
    // Where the connection is gone, the server has ended it.
    await on.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** Numbers of 64 bits as numbers: what is counted here stays below 2^53. */
function parserOf({
  getTypeParser,
  builtins,
}: typeof pg.types): pg.CustomTypesConfig["getTypeParser"] {
  return (type: Parameters<typeof getTypeParser>[0]) =>
    type === builtins.INT8 ? Number : (getTypeParser(type) as unknown);
}

/** Resolves with the promise, or after so many ms. */
async function orAfter(promise: Promise<void>, ms: number): Promise<void> {
  const over = new AbortController();
  const late = delay(ms, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([promise, late]);
  over.abort();
}
