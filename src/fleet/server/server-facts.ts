import type { Queries } from "../store/database.ts";

export interface ServerFacts {
  /** Such as 15.4. */
  readonly version: string;
  /** Such as 150004. */
  readonly number: number;
  readonly encrypted: boolean;
  /** It is a read-only replica. */
  readonly standby: boolean;
  readonly fsync: boolean;
  readonly maxConnections: number;
  readonly connections: number;
  /** Epoch ms, by its clock. */
  readonly now: number;
}

export async function serverFacts(on: Queries): Promise<ServerFacts> {
  const [facts] = await on.query<ServerFacts>(
    `SELECT current_setting('server_version') AS version,
       current_setting('server_version_num')::int AS number,
       coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS encrypted,
       pg_is_in_recovery() AS standby,
       current_setting('fsync')::boolean AS fsync,
       current_setting('max_connections')::int AS "maxConnections",
       (SELECT sum(numbackends) FROM pg_stat_database)::int AS connections,
       (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`,
  );
  if (facts === undefined) throw new Error("the server returned no facts about itself");
  return facts;
}

/** Disk space of all conversations in the database, bytes. */
export async function conversationBytes(on: Queries): Promise<number> {
  const [row] = await on.query<{ bytes: number }>(
    "SELECT pg_total_relation_size('raymond.transcripts') AS bytes",
  );
  return row?.bytes ?? 0;
}
