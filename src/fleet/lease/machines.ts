import type { Queries } from "../store/database.ts";
import type { AccountName, MachineId, PoolName } from "../store/rows/placement.ts";

/** What a worker says of its machine. */
export interface RegisteredMachine {
  readonly id: MachineId;
  /** Its row of `raymond.holders`. */
  readonly holder: number;
  readonly pools: readonly PoolName[];
  readonly accounts: readonly AccountName[];
  readonly slots: number;
  readonly version: string;
}

/** Why the client of a machine cannot answer prompts, by account; the empty name is the log-in of its worker. */
export type ClientProblems = Readonly<Record<AccountName, string>>;

/** Records which runs the client of a machine cannot answer prompts for. */
export async function saveClientProblems(
  on: Queries,
  id: MachineId,
  problems: ClientProblems,
): Promise<void> {
  await on.query(
    "UPDATE raymond.machines SET facts = facts || jsonb_build_object('clients', $2::jsonb) WHERE id = $1",
    [id, JSON.stringify(problems)],
  );
}

/** Records what a machine is, in place of what it was. */
export async function registerMachine(on: Queries, machine: RegisteredMachine): Promise<void> {
  const { id, holder, pools, accounts, slots, version } = machine;
  await on.query(
    `INSERT INTO raymond.machines (id, holder, pools, accounts, slots, version)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (id) DO UPDATE SET holder = $2, pools = $3, accounts = $4, slots = $5,
       version = $6`,
    [id, holder, pools, accounts, slots, version],
  );
}

/** Says whether a machine is to take runs. False where nobody knows it. */
export async function setDraining(on: Queries, id: MachineId, draining: boolean): Promise<boolean> {
  const rows = await on.query(
    "UPDATE raymond.machines SET draining = $2 WHERE id = $1 RETURNING 1",
    [id, draining],
  );
  return rows.length > 0;
}

/** Whether a machine is to take no runs. */
export async function isDraining(on: Queries, id: MachineId): Promise<boolean> {
  const [row] = await on.query<{ draining: boolean }>(
    "SELECT draining FROM raymond.machines WHERE id = $1",
    [id],
  );
  return row?.draining === true;
}

/** A machine as `raymond machines` shows it. */
export interface MachineStatus extends Omit<RegisteredMachine, "holder"> {
  readonly lives: boolean;
  /** It is to take no runs. */
  readonly draining: boolean;
  /** Null where nobody remembers. */
  readonly heartbeatAt: Date | null;
  readonly clientProblems: ClientProblems;
  /** Since then, by the clock of the database. */
  readonly silentMs: number | null;
  /** Runs that it goes on with now. */
  readonly activeRuns: number;
  /** Runs that are at home there and not over. */
  readonly runs: number;
}

/** All machines that have ever been seen, by their names. */
export async function listMachines(on: Queries): Promise<readonly MachineStatus[]> {
  return on.query<MachineStatus>(
    `SELECT m.id, m.pools, m.accounts, m.slots, m.version, m.draining, coalesce(raymond.is_alive(h), false) AS lives,
            coalesce(m.facts->'clients', '{}') AS "clientProblems",
            h.heartbeat_at AS "heartbeatAt",
            (extract(epoch FROM clock_timestamp() - h.heartbeat_at) * 1000)::float8 AS "silentMs",
            CASE WHEN raymond.is_alive(h) THEN
              (SELECT count(*) FROM raymond.runs r WHERE r.holder = m.holder) ELSE 0 END::integer AS "activeRuns",
            (SELECT count(*) FROM raymond.runs r
              WHERE r.home = m.id AND r.status IN ('running', 'waiting'))::integer AS runs
       FROM raymond.machines m LEFT JOIN raymond.holders h ON h.id = m.holder ORDER BY m.id`,
  );
}
