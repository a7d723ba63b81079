import type { ClientProblems } from "../lease/machines.ts";
import type { Queries } from "../store/database.ts";

/** What a server tells of itself. */
export interface ServerFacts {
  /** Such as 15.4. */
  readonly version: string;
  /** Such as 150004. */
  readonly number: number;
  readonly encrypted: boolean;
  /** It only follows another. */
  readonly standby: boolean;
  /** What it is told is on its disk when it says so. */
  readonly fsync: boolean;
  readonly maxConnections: number;
  readonly connections: number;
  /** Epoch ms, by its clock. */
  readonly now: number;
}

/** Asks the server what it is. */
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

/** A machine of the fleet. */
export interface MachineFacts {
  readonly id: string;
  readonly lives: boolean;
  readonly version: string;
  readonly draining: boolean;
  readonly clientProblems: ClientProblems;
  /** Runs that its worker has. */
  readonly activeRuns: number;
}

/** The machines that have ever joined the fleet. */
export function machineFacts(on: Queries): Promise<readonly MachineFacts[]> {
  return on.query(
    `SELECT m.id, coalesce(raymond.is_alive(h), false) AS lives, m.version, m.draining,
            coalesce(m.facts->'clients', '{}') AS "clientProblems",
            (SELECT count(*) FROM raymond.runs r WHERE r.holder = m.holder)::int AS "activeRuns"
       FROM raymond.machines m LEFT JOIN raymond.holders h ON h.id = m.holder ORDER BY m.id`,
  );
}

/** An account that has limits, or waits for one. */
export interface AccountFacts {
  readonly name: string;
  /** Until when it waits for a usage limit. */
  readonly cooling: Date | null;
  /** What it may cost today, and has cost; null: it may cost anything. */
  readonly most: number | null;
  readonly spent: number;
}

/** The accounts of the fleet. */
export function accountFacts(on: Queries): Promise<readonly AccountFacts[]> {
  return on.query(
    `SELECT a.name, CASE WHEN cooldown_until > now() THEN cooldown_until END AS cooling,
       per_day_micro_usd AS most, coalesce(d.micro_usd, 0) AS spent
       FROM raymond.accounts a LEFT JOIN raymond.account_days d
         ON d.account = a.name AND d.day = (now() AT TIME ZONE 'UTC')::date ORDER BY a.name`,
  );
}

/** Bytes that conversations take on the disk of the server. */
export async function conversationBytes(on: Queries): Promise<number> {
  const [row] = await on.query<{ bytes: number }>(
    "SELECT pg_total_relation_size('raymond.transcripts') AS bytes",
  );
  return row?.bytes ?? 0;
}
