import { fleetErrors } from "../errors.ts";
import type { Database, Queries } from "./database.ts";
import { OWNER_NEEDED } from "./database-failure.ts";
import { MIGRATIONS, type Migration, SCHEMA_VERSION } from "./migrations.ts";

/** The schema version before and after a migration; `from` is 0 for a database without tables. */
export interface Prepared {
  readonly from: number;
  readonly to: number;
}

/**
 * Creates or migrates the tables of a fleet in one transaction. Concurrent calls run one after the
 * other. Rejects with `fleet/newer-schema` if the tables belong to a newer raymond.
 */
export function prepareSchema(
  database: Database,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<Prepared> {
  const { shown } = database.address;
  return database.transaction(async (on) => {
    await on.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    const from = (await versionIn(on)) ?? 0;
    if (from > 0) await requireOwner(on, shown);
    const to = migrations.length;
    if (from > to) throw fleetErrors["fleet/newer-schema"](shown, from, to);
    if (from === 0) await on.query(CREATE_SCHEMA);
    for (const { version, about, sql } of migrations.slice(from)) {
      await on.query(sql);
      await on.query("INSERT INTO raymond.migrations (version, about) VALUES ($1, $2)", [
        version,
        about,
      ]);
    }
    return { from, to };
  });
}

/** Rejects if the tables are not at schema version `required`, with a hint how to fix that. */
export async function requireSchema(
  database: Database,
  required: number = SCHEMA_VERSION,
): Promise<void> {
  const { shown } = database.address;
  const version = await database.run(versionIn);
  if (version === null) throw fleetErrors["fleet/no-schema"](shown);
  if (version < required) throw fleetErrors["fleet/older-schema"](shown, version, required);
  if (version > required) throw fleetErrors["fleet/newer-schema"](shown, version, required);
}

/** The version of the tables; null if there are none. */
async function versionIn(on: Queries): Promise<number | null> {
  const [found] = await on.query<{ exists: boolean }>(
    "SELECT to_regclass('raymond.migrations') IS NOT NULL AS exists",
  );
  if (found?.exists !== true) return null;
  const [row] = await on.query<{ version: number }>(
    "SELECT coalesce(max(version), 0) AS version FROM raymond.migrations",
  );
  return row?.version ?? 0;
}

async function requireOwner(on: Queries, shown: string): Promise<void> {
  const [row] = await on.query<{ owns: boolean }>(
    "SELECT pg_has_role(nspowner, 'USAGE') AS owns FROM pg_namespace WHERE nspname = 'raymond'",
  );
  if (row?.owns !== true) throw fleetErrors["fleet/refused"](shown, OWNER_NEEDED, null);
}

const CREATE_SCHEMA = `
CREATE SCHEMA IF NOT EXISTS raymond;
CREATE TABLE IF NOT EXISTS raymond.migrations (
  version integer PRIMARY KEY,
  about text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);
`;

/** Key of the advisory lock that serializes migrations: "raymond" in ASCII. */
const MIGRATION_LOCK = "32195321499971172";
