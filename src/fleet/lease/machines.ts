import type { FleetMachine } from "../../inspect/fleet-board.ts";
import type { Policy } from "../policy/policy.ts";
import type { Queries } from "../store/database.ts";
import type { MachineId, MachineSighting } from "../store/rows/placement.ts";
import type { ClientProblems } from "./client-problems.ts";

/** The settings of a worker that other workers and clients see. */
export interface RegisteredMachine
  extends Pick<FleetMachine, "id" | "pools" | "accounts" | "slots" | "version"> {
  /** Its id in `raymond.holders`. */
  readonly holder: number;
}

export async function saveClientProblems(
  on: Queries,
  id: MachineId,
  { problems, missing }: ClientProblems,
): Promise<void> {
  await on.query(
    "UPDATE raymond.machines SET facts = facts || jsonb_build_object('clients', $2::jsonb, 'missing', $3::jsonb) WHERE id = $1",
    [id, JSON.stringify(problems), JSON.stringify(missing)],
  );
}

/** Stores the policy of a machine, so that other processes can explain a refusal. */
export async function savePolicy(on: Queries, id: MachineId, policy: Policy | null): Promise<void> {
  await on.query(
    "UPDATE raymond.machines SET facts = facts || jsonb_build_object('policy', $2::jsonb) WHERE id = $1",
    [id, JSON.stringify(policy)],
  );
}

/** Registers a machine, or replaces its settings. */
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

/** False if the machine is unknown. */
export async function setDraining(on: Queries, id: MachineId, draining: boolean): Promise<boolean> {
  const rows = await on.query(
    "UPDATE raymond.machines SET draining = $2 WHERE id = $1 RETURNING 1",
    [id, draining],
  );
  return rows.length > 0;
}

export async function isDraining(on: Queries, id: MachineId): Promise<boolean> {
  const [row] = await on.query<{ draining: boolean }>(
    "SELECT draining FROM raymond.machines WHERE id = $1",
    [id],
  );
  return row?.draining === true;
}

export interface MachineStatus extends FleetMachine {
  /** Time since the last heartbeat by the clock of the database; null if unknown. */
  readonly silentMs: number | null;
  /** Null: it may run everything. */
  readonly policy: Policy | null;
  readonly missingAgents: readonly string[];
}

/** All registered machines, by name. */
export async function listMachines(on: Queries): Promise<readonly MachineStatus[]> {
  return on.query<MachineStatus>(
    `SELECT m.id, m.pools, m.accounts, m.slots, m.version, m.draining, coalesce(raymond.is_alive(h), false) AS lives,
            coalesce(m.facts->'clients', '{}') AS "clientProblems",
            coalesce(m.facts->'missing', '[]') AS "missingAgents",
            nullif(m.facts->'policy', 'null') AS policy,
            h.heartbeat_at AS "heartbeatAt",
            (extract(epoch FROM clock_timestamp() - h.heartbeat_at) * 1000)::float8 AS "silentMs",
            CASE WHEN raymond.is_alive(h) THEN
              (SELECT count(*) FROM raymond.runs r WHERE r.holder = m.holder) ELSE 0 END::integer AS "activeRuns",
            (SELECT count(*) FROM raymond.runs r
              WHERE r.home = m.id AND r.status IN ('running', 'waiting'))::integer AS runs
       FROM raymond.machines m LEFT JOIN raymond.holders h ON h.id = m.holder ORDER BY m.id`,
  );
}

export interface DeadMachine extends MachineSighting {
  readonly id: MachineId;
}

/** Other machines with runs and without a live worker. */
export function deadMachines(on: Queries, me: MachineId): Promise<readonly DeadMachine[]> {
  return on.query<DeadMachine>(DEAD_MACHINES, [me]);
}

/**
 * The recursion reads one index entry per home, however many runs each has.
 * @public A test checks the query plan.
 */
export const DEAD_MACHINES = `
WITH RECURSIVE homes AS (
  SELECT min(home) AS home FROM raymond.runs WHERE status IN ('running', 'waiting')
  UNION ALL
  SELECT (SELECT min(home) FROM raymond.runs WHERE status IN ('running', 'waiting') AND home > homes.home)
    FROM homes WHERE home IS NOT NULL
)
SELECT home AS id, false AS lives,
       (extract(epoch FROM clock_timestamp() - max(h.heartbeat_at)) * 1000)::float8 AS "silentMs"
  FROM homes LEFT JOIN raymond.holders h ON h.machine = home
 WHERE home <> $1
 GROUP BY home HAVING NOT coalesce(bool_or(raymond.is_alive(h)), false)`;
