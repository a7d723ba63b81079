import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type pg from "pg";
import type { Database } from "../store/database.ts";

/** A row of `raymond.holders` that is this process, for as long as it is needed. */
export interface Presence {
  readonly holder: number;
  /** The row goes away. Never rejects. */
  end(): Promise<void>;
}

/**
 * Shows that this process lives: by a lock on a connection of its own, which its death
 * lets go of, and by a row that is written again and again. For a command that holds a
 * run for a moment; a worker has a lease.
 */
export async function registerPresence(
  database: Database,
  { pid, identity }: { readonly pid: number; readonly identity: string },
): Promise<Presence> {
  // 48 bits, so that it is a number here as well.
  const key = randomBytes(6).readUIntBE(0, 6);
  let client: pg.Client | null = await locked(database, key);
  const [row] = await database.query<{ id: number }>(
    // Asked again where the answer was lost: the key is ours alone.
    `INSERT INTO raymond.holders (lock_key, host, pid, identity, place)
     VALUES ($1, $2, $3, $4, '{}')
     ON CONFLICT (lock_key) DO UPDATE SET heartbeat_at = clock_timestamp() RETURNING id`,
    [key, hostname(), pid, identity],
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
    client = await locked(database, key).catch(() => null);
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

function locked(database: Database, key: number): Promise<pg.Client> {
  return database.connect((client) => client.query("SELECT pg_advisory_lock($1)", [key]));
}
