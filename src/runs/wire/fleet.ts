import { readFileSync } from "node:fs";
import { startService } from "../../process/service.ts";
import {
  type Database,
  type DatabaseOptions,
  openDatabase,
} from "../../stores/postgres/database.ts";
import { prepareDbos } from "../../stores/postgres/dbos.ts";
import { FleetFileError, NoFleetError } from "../../stores/postgres/errors.ts";
import { type Prepared, prepareSchema } from "../../stores/postgres/schema.ts";
import {
  type PostgresStore,
  type PostgresStoreOptions,
  postgresStore,
} from "../../stores/postgres/store.ts";
import {
  startThrowAwayServer,
  type ThrowAwayServer,
} from "../../stores/postgres/throw-away-server.ts";
import type { Caller } from "../caller.ts";
import { fleetSource } from "../fleet-variable.ts";
import { inherited } from "./inherited.ts";

/** The fleet that a use case is about. */
export interface FleetPlace {
  /** `--url`: its database, in place of what the environment says ({@link fleetSource}). */
  readonly url?: string | undefined;
}

/**
 * The URL of the fleet's database. Throws a {@link NoFleetError} where none is given, and a
 * {@link FleetFileError} where the file that was named has none.
 */
export function fleetUrl({ url }: FleetPlace, { env }: Pick<Caller, "env">): string {
  if (url !== undefined) return url;
  const source = fleetSource(env);
  if (source === null) throw new NoFleetError();
  return source.kind === "url" ? source.url : urlOfFile(source.file);
}

function urlOfFile(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new FleetFileError(file, error instanceof Error ? error.message : String(error));
  }
  const url = text.trim();
  if (url === "" || /\s/.test(url)) throw new FleetFileError(file, "it is not one line with a URL");
  return url;
}

/** The database of the fleet; whoever opens it closes it. */
export function openFleet(
  place: FleetPlace,
  caller: Pick<Caller, "env">,
  options: DatabaseOptions = {},
): Database {
  return openDatabase(fleetUrl(place, caller), options);
}

/**
 * Its runs; what they own besides lies below `root`, on this machine.
 * @public Whoever works with the runs of a fleet opens them by this.
 */
export function fleetStore(
  database: Database,
  root: string,
  options: PostgresStoreOptions = {},
): PostgresStore {
  return postgresStore(database, root, options);
}

/** Its tables, made or brought up to date. */
export async function prepareFleet(database: Database): Promise<Prepared> {
  const prepared = await prepareSchema(database);
  await prepareDbos(database);
  return prepared;
}

/** A server of PostgreSQL that is there as long as this process is, with what it writes safe from a power loss. */
export function devServer({ env }: Pick<Caller, "env">): Promise<ThrowAwayServer> {
  return startThrowAwayServer({ start: startService, env: inherited(env), durable: true });
}
