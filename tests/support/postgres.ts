import { onTestFinished } from "vitest";
import { startService } from "../../src/process/service.ts";
import {
  type Database,
  type DatabaseOptions,
  openDatabase,
} from "../../src/stores/postgres/database.ts";
import { prepareSchema } from "../../src/stores/postgres/schema.ts";
import {
  startThrowAwayServer,
  type ThrowAwayServer,
} from "../../src/stores/postgres/throw-away-server.ts";

/** One for all tests of this process: it goes away with it. */
let shared: Promise<ThrowAwayServer> | null = null;
let databases = 0;
let prepared: Promise<unknown> | null = null;

/** A PostgreSQL that need not survive anything: how it is started, and by whom. */
export function startTestServer(
  options: Partial<Parameters<typeof startThrowAwayServer>[0]> = {},
): Promise<ThrowAwayServer> {
  const env = { PATH: process.env["PATH"] ?? "" };
  return startThrowAwayServer({ start: startService, env, durable: false, ...options });
}

/** The URL of a database of one's own, on the server that all tests of this process share; empty. */
export async function emptyDatabaseUrl(): Promise<string> {
  return newDatabase(await serverOfAll(), null);
}

/** The same, prepared for a fleet. */
export async function fleetUrl(): Promise<string> {
  const server = await serverOfAll();
  prepared ??= prepareTemplate(server);
  await prepared;
  return newDatabase(server, TEMPLATE);
}

/** That database, opened; it is closed when the test has finished. */
export async function fleetDatabase(options: DatabaseOptions = {}): Promise<Database> {
  return openedDatabase(await fleetUrl(), options);
}

/** The database at a URL, opened; it is closed when the test has finished. */
export function openedDatabase(url: string, options: DatabaseOptions = {}): Database {
  const database = openDatabase(url, options);
  onTestFinished(() => database.close());
  return database;
}

/** Takes all runs and holders away: faster than a database for each of many tries. */
export async function emptyTables(database: Database): Promise<void> {
  for (const table of ["runs", "holders", "account_days"]) {
    await database.query(`DELETE FROM raymond.${table}`);
  }
}

const TEMPLATE = "prepared";

/** The server that all tests of this process share. Who stops it, starts it again. */
export function serverOfAll(): Promise<ThrowAwayServer> {
  shared ??= startTestServer();
  return shared;
}

async function prepareTemplate(server: ThrowAwayServer): Promise<void> {
  await ask(server.url, `CREATE DATABASE ${TEMPLATE}`);
  const template = openDatabase(withDatabase(server.url, TEMPLATE));
  await prepareSchema(template);
  await template.close();
}

async function newDatabase({ url }: ThrowAwayServer, template: string | null): Promise<string> {
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
