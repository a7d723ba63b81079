import type { Database, Queries } from "../store/database.ts";

/** The group roles of a fleet, by what they may do. Each role after the viewer includes the viewer. */
export const ROLE_NAMES = ["viewer", "submitter", "operator", "worker"] as const;
export type FleetRole = (typeof ROLE_NAMES)[number];

export interface FleetRoles {
  /** The names in the database, which start with its name: roles are shared by all databases of a server. */
  readonly names: Readonly<Record<FleetRole, string>>;
  readonly created: readonly string[];
}

/**
 * Creates the group roles of a fleet without login, and sets their privileges (docs/fleet.md,
 * "Roles"). Safe to repeat, and after a migration.
 */
export function createRoles(database: Database): Promise<FleetRoles> {
  return database.transaction(async (on) => {
    await on.query("SELECT pg_advisory_xact_lock($1)", [ROLES_LOCK]);
    const names = await roleNames(on);
    const known = await existing(on, names);
    const created = ROLE_NAMES.map((role) => names[role]).filter((name) => !known.has(name));
    for (const name of created) await on.query(`CREATE ROLE ${quote(name)} NOLOGIN`);
    await on.query(grants(names));
    return { names, created };
  });
}

/** Sets the privileges again after a migration, if the fleet has roles. */
export async function refreshRoles(database: Database): Promise<void> {
  const hasRoles = await database.run(async (on) => {
    return (await existing(on, await roleNames(on))).size === ROLE_NAMES.length;
  });
  if (hasRoles) await createRoles(database);
}

async function roleNames(on: Queries): Promise<FleetRoles["names"]> {
  const [row] = await on.query<{ name: string }>("SELECT current_database() AS name");
  const name = (role: FleetRole) => `${row?.name ?? "raymond"}_${role}`;
  return {
    viewer: name("viewer"),
    submitter: name("submitter"),
    operator: name("operator"),
    worker: name("worker"),
  };
}

async function existing(on: Queries, names: FleetRoles["names"]): Promise<ReadonlySet<string>> {
  const rows = await on.query<{ name: string }>(
    "SELECT rolname AS name FROM pg_roles WHERE rolname = ANY($1)",
    [Object.values(names)],
  );
  return new Set(rows.map(({ name }) => name));
}

/** A name in SQL. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Tables of runs with the column `run`. */
const OF_RUNS = ["payloads", "journal", "events", "answers", "control_requests"];
/** Tables that a save writes, and that only workers fill. */
const OF_STEPS = ["ledger", "account_days"];

/** A submitter changes only runs that it has submitted itself, by the user of its session. */
const OWN_RUN =
  "EXISTS (SELECT 1 FROM raymond.runs r WHERE r.id = run AND r.submitted_by = session_user)";

function grants(names: FleetRoles["names"]): string {
  const [viewer, submitter, operator, worker] = ROLE_NAMES.map((role) => quote(names[role]));
  const all = `${String(viewer)}, ${String(submitter)}, ${String(operator)}, ${String(worker)}`;
  const own = [
    ["runs", "submitted_by = session_user"],
    ["holders", "db_user = session_user"],
    ["audit", `db_user = session_user AND ${OWN_RUN}`],
    ...OF_RUNS.map((table) => [table, OWN_RUN] as const),
    ...OF_STEPS.map((table) => [table, "false"] as const),
  ] as const;
  return `
REVOKE ALL ON ALL TABLES IN SCHEMA raymond FROM ${all};
REVOKE ALL ON ALL TABLES IN SCHEMA dbos FROM ${all};
GRANT USAGE ON SCHEMA raymond, dbos TO ${all};
GRANT SELECT ON ALL TABLES IN SCHEMA raymond TO ${all};
GRANT SELECT ON ALL TABLES IN SCHEMA dbos TO ${all};

GRANT INSERT ON raymond.workflows, raymond.audit TO ${String(submitter)}, ${String(operator)};
REVOKE INSERT ON raymond.audit FROM ${String(submitter)}, ${String(operator)};
GRANT INSERT (action, run, actor, detail) ON raymond.audit TO ${String(submitter)}, ${String(operator)};
GRANT INSERT, UPDATE, DELETE ON raymond.runs, raymond.holders, ${listed([...OF_RUNS, ...OF_STEPS])}
  TO ${String(submitter)}, ${String(operator)}, ${String(worker)};
GRANT USAGE ON ALL SEQUENCES IN SCHEMA raymond TO ${String(submitter)}, ${String(operator)}, ${String(worker)};
GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA dbos TO ${String(submitter)}, ${String(operator)}, ${String(worker)};
REVOKE INSERT, UPDATE, DELETE ON dbos.dbos_migrations FROM ${all};
GRANT USAGE ON ALL SEQUENCES IN SCHEMA dbos TO ${String(submitter)}, ${String(operator)}, ${String(worker)};

GRANT UPDATE (draining) ON raymond.machines TO ${String(operator)};
GRANT INSERT, UPDATE ON raymond.accounts TO ${String(operator)};
GRANT INSERT, UPDATE, DELETE ON raymond.schedules TO ${String(operator)};

GRANT INSERT (id, holder, pools, accounts, slots, version),
  UPDATE (holder, pools, accounts, slots, version, facts) ON raymond.machines TO ${String(worker)};
GRANT INSERT (name), UPDATE (cooldown_until, cooldown_message, cooldown_tries, probe, probed_by)
  ON raymond.accounts TO ${String(worker)};
GRANT UPDATE (last_run, last_at, next_at) ON raymond.schedules TO ${String(worker)};
GRANT INSERT, UPDATE, DELETE ON raymond.slots, raymond.waiters, raymond.run_starts,
  raymond.transcripts, raymond.conversations TO ${String(worker)};
${own.map(([table, condition]) => policies(table, condition, names)).join("")}`;
}

function listed(tables: readonly string[]): string {
  return tables.map((table) => `raymond.${table}`).join(", ");
}

/** Every user of the database reads all rows that its privileges allow. */
function policies(table: string, own: string, names: FleetRoles["names"]): string {
  const [submitter, operator, worker] = [names.submitter, names.operator, names.worker].map(quote);
  return `
ALTER TABLE raymond.${table} ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS readers ON raymond.${table};
DROP POLICY IF EXISTS own ON raymond.${table};
DROP POLICY IF EXISTS everyone ON raymond.${table};
CREATE POLICY readers ON raymond.${table} FOR SELECT USING (true);
CREATE POLICY own ON raymond.${table} TO ${String(submitter)} USING (${own}) WITH CHECK (${own});
CREATE POLICY everyone ON raymond.${table} TO ${String(operator)}, ${String(worker)}
  USING (true) WITH CHECK (true);`;
}

/** Key of the advisory lock that serializes changes of roles: "roles" in ASCII. */
const ROLES_LOCK = "491495155059";
