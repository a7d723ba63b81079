import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type pg from "pg";
import type { Database } from "../store/database.ts";

/** The row of a command in `raymond.holders`. */
export interface Presence {
  readonly holder: number;
  /** Deletes the row. Never rejects. */
  end(): Promise<void>;
}

/**
 * Registers a command that holds runs for a short time, with an advisory lock on a dedicated connection and
 * heartbeats. Workers have leases instead.
 */
export async function registerPresence(database: Database): Promise<Presence> {
  // 48 bits, so that it is a safe integer.
  const key = randomBytes(6).readUIntBE(0, 6);
  let client: pg.Client | null = await connectWithLock(database, key);
  const [row] = await database.query<{ id: number }>(
    // A conflict means that this is a retry after a lost answer.
    `INSERT INTO raymond.holders (lock_key, host, pid, identity, place)
     VALUES ($1, $2, $3::integer, $3::integer::text, '{}')
     ON CONFLICT (lock_key) DO UPDATE SET heartbeat_at = clock_timestamp() RETURNING id`,
    [key, hostname(), process.pid],
  );
  if (row === undefined) throw new Error("the holder has no row");
  const { id: holder } = row;
  const sendHeartbeat = async () => {
    const current = client;
    const sent = await current
      ?.query("UPDATE raymond.holders SET heartbeat_at = clock_timestamp() WHERE id = $1", [holder])
      .catch(() => null);
    if (sent !== null) return;
    void current?.end().catch(() => undefined);
    client = await connectWithLock(database, key).catch(() => null);
  };
  let heartbeats: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    heartbeats = heartbeats.then(sendHeartbeat);
  }, HEARTBEAT_MS);
  timer.unref();
  return {
    holder,
    end: async () => {
      clearInterval(timer);
      await heartbeats;
      await database
        .query("DELETE FROM raymond.holders WHERE id = $1", [holder])
        .catch(() => undefined);
      await client?.end().catch(() => undefined);
    },
  };
}

const HEARTBEAT_MS = 5_000;

function connectWithLock(database: Database, key: number): Promise<pg.Client> {
  return database.connect((client) => client.query("SELECT pg_advisory_lock($1)", [key]));
}
