import { onTestFinished } from "vitest";
import { prepareFleet } from "../../../src/fleet/admin/fleet.ts";
import {
  startTemporaryServer,
  type TemporaryServer,
} from "../../../src/fleet/server/temporary-server.ts";
import {
  type Database,
  type DatabaseOptions,
  openDatabase,
} from "../../../src/fleet/store/database.ts";
import { prepareSchema } from "../../../src/fleet/store/schema.ts";
import { startService } from "../../../src/process/children/service.ts";

/** One server for all tests of this process. */
let shared: Promise<TemporaryServer> | null = null;
let databases = 0;
/** Databases to copy, by name. Each is prepared once, because that takes more than a second. */
const templates = new Map<string, Promise<void>>();

/** A PostgreSQL server without durability. */
export function startTestServer(
  options: Partial<Parameters<typeof startTemporaryServer>[0]> = {},
): Promise<TemporaryServer> {
  const env = { PATH: process.env["PATH"] ?? "" };
  return startTemporaryServer({ start: startService, env, durable: false, ...options });
}

/** The URL of a new empty database on the shared server. */
export async function emptyDatabaseUrl(): Promise<string> {
  return newDatabase(await serverOfAll(), null);
}

/** The URL of a new database with the tables of raymond. */
export function fleetUrl(): Promise<string> {
  return copyOf("prepared", prepareSchema);
}

/** The URL of a new database with the tables of raymond and DBOS, as `raymond fleet init` leaves it. */
export function initializedUrl(): Promise<string> {
  return copyOf("initialized", prepareFleet);
}

/** A new fleet database, closed after the test. */
export async function fleetDatabase(options: DatabaseOptions = {}): Promise<Database> {
  return openedDatabase(await fleetUrl(), options);
}

/** Opens a database and closes it after the test. */
export function openedDatabase(url: string, options: DatabaseOptions = {}): Database {
  const database = openDatabase(url, options);
  onTestFinished(() => database.close());
  return database;
}

/** Deletes all runs and holders: faster than a new database. */
export async function emptyTables(database: Database): Promise<void> {
  for (const table of ["runs", "holders", "account_days"]) {
    await database.query(`DELETE FROM raymond.${table}`);
  }
}

/** The server that all tests of this process share. A test that stops it must start it again. */
export function serverOfAll(): Promise<TemporaryServer> {
  shared ??= startTestServer();
  return shared;
}

/** The URL of a copy of the database `template`, which `prepare` fills at its first use. */
async function copyOf(
  template: string,
  prepare: (database: Database) => Promise<unknown>,
): Promise<string> {
  const server = await serverOfAll();
  const ready = templates.get(template) ?? fill(server, template, prepare);
  templates.set(template, ready);
  await ready;
  return newDatabase(server, template);
}

async function fill(
  server: TemporaryServer,
  name: string,
  prepare: (database: Database) => Promise<unknown>,
): Promise<void> {
  await ask(server.url, `CREATE DATABASE ${name}`);
  const database = openDatabase(withDatabase(server.url, name));
  await prepare(database);
  await database.close();
}

async function newDatabase({ url }: TemporaryServer, template: string | null): Promise<string> {
  databases += 1;
  const name = `test_${String(databases)}`;
  await ask(url, `CREATE DATABASE ${name}${template === null ? "" : ` TEMPLATE ${template}`}`);
  return withDatabase(url, name);
}

async function ask(url: string, sql: string): Promise<void> {
  const database = openDatabase(url);
  await database.query(sql);
  await database.close();
}

/** The URL of another database of that server. */
export function withDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}
