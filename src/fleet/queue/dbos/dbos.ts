import type { DBOSClient as Client, DBOS as Dbos } from "@dbos-inc/dbos-sdk";
import type { DatabaseAddress } from "../../store/address.ts";
import type { Database } from "../../store/database.ts";
import { translateErrors } from "../../store/database-failure.ts";
import type { MachineId } from "../../store/rows/placement.ts";
import { loadPackage } from "../packages.ts";
import { dbosPool, type QueueSettings } from "./dbos-pool.ts";

/** The library that provides queues, dispatch and recovery; loaded only for a fleet. */
export interface DbosLibrary {
  readonly DBOS: typeof Dbos;
  readonly DBOSClient: typeof Client;
}

/** Throws `fleet/not-installed` if the package is missing. */
export function loadDbos(): DbosLibrary {
  // DBOS uses a deprecated call of pg, which would print a warning on every start.
  process.noDeprecation = true;
  return loadPackage("@dbos-inc/dbos-sdk") as DbosLibrary;
}

/** The schema of its tables. */
export const DBOS_SCHEMA = "dbos";

/** DBOS dispatches a workflow only to executors with the same application name and version. */
const APPLICATION = { name: "raymond", version: "1" } as const;

/** The version of enqueued workflows: any worker with the same schema version may run them. */
export const APP_VERSION = APPLICATION.version;

/** The only DBOS workflow: runs a run until it stops. */
export const RUN_WORKFLOW = "run";

/** Logs warnings and errors of DBOS, one line each. */
export function loggerTo(log: (line: string) => void) {
  const line = (entry: unknown) => {
    const text = entry instanceof Error ? entry.message : String(entry);
    log(text.split("\n")[0] ?? "");
  };
  const silent = () => undefined;
  return { info: silent, debug: silent, warn: line, error: line };
}

/** Access to the queues from any machine. */
export interface QueueClient
  extends Pick<Client, "enqueue" | "cancelWorkflow" | "deleteWorkflows" | "listWorkflows"> {
  close(): Promise<void>;
}

export async function openClient(address: DatabaseAddress): Promise<QueueClient> {
  const { DBOSClient } = loadDbos();
  const silent = () => undefined;
  const pool = dbosPool(address, { ...CONNECTING, max: 2, application_name: "raymond" }, silent);
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

/** The DBOS configuration of a worker; `settings`: null for a process that dequeues nothing. */
export function workerConfig(
  address: DatabaseAddress,
  machine: MachineId,
  queues: readonly string[],
  settings: QueueSettings | null,
  warn: (line: string) => void,
) {
  const connections = {
    ...CONNECTING,
    max: MAX_CONNECTIONS,
    application_name: `dbos_transact_${machine}_${APPLICATION.version}`,
  };
  return {
    name: APPLICATION.name,
    systemDatabaseUrl: address.url,
    systemDatabaseSchemaName: DBOS_SCHEMA,
    systemDatabasePoolSize: MAX_CONNECTIONS,
    ...(settings !== null && {
      systemDatabasePool: dbosPool(address, connections, warn, { settings }),
    }),
    executorID: machine,
    applicationVersion: APPLICATION.version,
    listenQueues: [...queues],
    // Serial, so that each queue sees the slots that the one before it has used (Q2 in dbos-pool.ts).
    maxConcurrentQueueDispatches: 1,
    logger: loggerTo(warn),
    // Concurrent migrations fail, so only `raymond fleet init` runs them.
    runMigrations: false,
  };
}

/** Connections of a worker to the tables of DBOS. */
const MAX_CONNECTIONS = 6;

/** Creates or migrates the tables of DBOS, under a lock because concurrent migrations fail. */
export async function prepareDbos(database: Pick<Database, "address" | "connect">): Promise<void> {
  const { DBOS } = loadDbos();
  const client = await database.connect();
  try {
    await client.query({ text: "SELECT pg_advisory_lock($1)", values: [MIGRATION_LOCK] });
    // Not `DBOS.migrate`: it prints to standard output.
    DBOS.setConfig({
      ...workerConfig(database.address, "init", [], null, () => undefined),
      runMigrations: true,
    });
    await translateErrors(database.address, DBOS.launch());
    await DBOS.shutdown();
  } finally {
    await client.end();
  }
}

/** Key of the advisory lock that serializes migrations of DBOS: "dbos" in ASCII. */
const MIGRATION_LOCK = "1684172659";
