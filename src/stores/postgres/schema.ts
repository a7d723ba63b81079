import type { Database, Queries } from "./database.ts";
import { NewerSchemaError, NoSchemaError, OlderSchemaError } from "./errors.ts";
import { MIGRATIONS, type Migration, SCHEMA_VERSION } from "./migrations.ts";

/** What was done to the tables, or found there. */
export interface Prepared {
  /** The version that they had; 0: there were none. */
  readonly from: number;
  readonly to: number;
}

/**
 * Makes the tables of a fleet, or brings them up to date: all of it or nothing, and
 * nothing where they are as they should be. Two at once are one after the other.
 * Rejects with a {@link NewerSchemaError} where they are of a newer raymond.
 * `migrations`: those to be applied, which tests cut short.
 */
export function prepareSchema(
  database: Database,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<Prepared> {
  const { shown } = database.address;
  return database.transaction(async (on) => {
    await on.query("SELECT pg_advisory_xact_lock($1)", [MIGRATING]);
    const from = (await versionIn(on)) ?? 0;
    const to = migrations.length;
    if (from > to) throw new NewerSchemaError(shown, from, to);
    if (from === 0) await on.query(FIRST);
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

/**
 * Rejects where the tables are not those that this raymond works with, and says what to do.
 * @public Whoever works with them asks first.
 */
export async function requireSchema(database: Database): Promise<void> {
  const { shown } = database.address;
  const version = await schemaVersion(database);
  if (version === null) throw new NoSchemaError(shown);
  if (version < SCHEMA_VERSION) throw new OlderSchemaError(shown, version, SCHEMA_VERSION);
  if (version > SCHEMA_VERSION) throw new NewerSchemaError(shown, version, SCHEMA_VERSION);
}

/** The version of the tables; null where there are none. */
function schemaVersion(database: Database): Promise<number | null> {
  return database.run(versionIn);
}

async function versionIn(on: Queries): Promise<number | null> {
  const [found] = await on.query<{ there: boolean }>(
    "SELECT to_regclass('raymond.migrations') IS NOT NULL AS there",
  );
  if (found?.there !== true) return null;
  const [row] = await on.query<{ version: number }>(
    "SELECT coalesce(max(version), 0) AS version FROM raymond.migrations",
  );
  return row?.version ?? 0;
}

const FIRST = `
CREATE SCHEMA IF NOT EXISTS raymond;
CREATE TABLE IF NOT EXISTS raymond.migrations (
  version integer PRIMARY KEY,
  about text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);
`;

/** The key of the lock that whoever changes the tables holds: "raymond" in ASCII. */
const MIGRATING = "32195321499971172";
