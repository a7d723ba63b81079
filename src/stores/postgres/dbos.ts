import type { DBOSClient as Client, DBOS as Dbos } from "@dbos-inc/dbos-sdk";
import type { DatabaseAddress } from "./address.ts";
import type { Database } from "./database.ts";
import { libraryPool } from "./library-pool.ts";
import { type OwnSettings, poolWithOwnSettings } from "./own-settings.ts";
import { loadPeer } from "./packages.ts";
import type { MachineId } from "./placement.ts";
import { inWords } from "./trouble.ts";

/** The library that carries queues, admission and recovery; loaded when a fleet is meant. */
export interface DbosLibrary {
  readonly DBOS: typeof Dbos;
  readonly DBOSClient: typeof Client;
}

/** The library. Throws a `FleetPackagesError` where it is not installed. */
export function loadDbos(): DbosLibrary {
  // It uses its client in a way that the client has come to warn about, on standard error, at each start.
  process.noDeprecation = true;
  return loadPeer("@dbos-inc/dbos-sdk") as DbosLibrary;
}

/** The schema of its tables, beside raymond's own. */
export const DBOS_SCHEMA = "dbos";

/** Whose queues these are, and the version of what is enqueued: a run, by its id. */
const APPLICATION = { name: "raymond", version: "1" } as const;

/** The one workflow of DBOS that there is: it goes on with a run. */
export const GO_ON = "goOn";

/** What DBOS says is for those who look after it: warnings and errors, as one line. */
export function loggerTo(tell: (line: string) => void) {
  const line = (entry: unknown) => {
    const text = entry instanceof Error ? entry.message : String(entry);
    tell(text.split("\n")[0] ?? "");
  };
  const silent = () => undefined;
  return { info: silent, debug: silent, warn: line, error: line };
}

/** What reaches the queues, from any machine. */
export interface QueueClient
  extends Pick<Client, "enqueue" | "cancelWorkflow" | "deleteWorkflows" | "listWorkflows"> {
  close(): Promise<void>;
}

/** Opens it. */
export async function openClient(address: DatabaseAddress): Promise<QueueClient> {
  const { DBOSClient } = loadDbos();
  const silent = () => undefined;
  const pool = libraryPool(address, { ...CONNECTING, max: 2, application_name: "raymond" }, silent);
  const client = await DBOSClient.create({
    systemDatabaseUrl: address.url,
    systemDatabaseSchemaName: DBOS_SCHEMA,
    systemDatabasePool: pool,
    applicationName: APPLICATION.name,
    logger: loggerTo(silent),
  });
  return Object.assign(client, {
    close: async () => {
      await client.destroy();
      await pool.end();
    },
  });
}

const CONNECTING = {
  connectionTimeoutMillis: 10_000,
  idle_in_transaction_session_timeout: 60_000,
} as const;

/** The version that what is enqueued is marked with: any worker that knows the schema may take it. */
export const APP_VERSION = APPLICATION.version;

/** What a worker tells DBOS of itself; `own` is null of who takes nothing. */
export function workerConfig(
  address: DatabaseAddress,
  machine: MachineId,
  queues: readonly string[],
  own: OwnSettings | null,
  warn: (line: string) => void,
) {
  const connections = {
    ...CONNECTING,
    max: CONNECTIONS,
    application_name: `dbos_transact_${machine}_${APPLICATION.version}`,
  };
  return {
    name: APPLICATION.name,
    systemDatabaseUrl: address.url,
    systemDatabaseSchemaName: DBOS_SCHEMA,
    systemDatabasePoolSize: CONNECTIONS,
    ...(own !== null && {
      systemDatabasePool: poolWithOwnSettings(address, connections, own, warn),
    }),
    executorID: machine,
    applicationVersion: APPLICATION.version,
    listenQueues: [...queues],
    // All queues share the slots of a worker.
    maxConcurrentQueueDispatches: 1,
    logger: loggerTo(warn),
    // Two that make the tables at once stand in each other's way: `raymond fleet init` does it, alone.
    runMigrations: false,
  };
}

/** Of a worker to the tables of the library. */
const CONNECTIONS = 6;

/** Its tables, made or brought up to date: by one process at a time, or they stand in each other's way. */
export async function prepareDbos(database: Pick<Database, "address" | "connect">): Promise<void> {
  const { DBOS } = loadDbos();
  const client = await database.connect();
  try {
    await client.query({ text: "SELECT pg_advisory_lock($1)", values: [PREPARING] });
    // Not by its `migrate`, which tells standard output about it.
    DBOS.setConfig({
      ...workerConfig(database.address, "init", [], null, () => undefined),
      runMigrations: true,
    });
    await inWords(database.address, DBOS.launch().catch(rejectByCause));
    await DBOS.shutdown();
  } finally {
    await client.end();
  }
}

/** The library wraps what the database has said. */
function rejectByCause(error: unknown): never {
  throw error instanceof Error && "error" in error ? error.error : error;
}

/** The key of the lock that whoever changes these tables holds: "dbos" in ASCII. */
const PREPARING = "1684172659";
