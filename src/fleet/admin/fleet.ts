import { readFileSync } from "node:fs";
import { startService } from "../../process/children/service.ts";
import type { Caller } from "../../wire/caller.ts";
import { inherited } from "../../wire/engine/inherited.ts";
import { fleetSource } from "../../wire/fleet-variable.ts";
import { fleetErrors } from "../errors.ts";
import { prepareDbos } from "../queue/dbos/dbos.ts";
import { startTemporaryServer, type TemporaryServer } from "../server/temporary-server.ts";
import { type Database, type DatabaseOptions, openDatabase } from "../store/database.ts";
import { type Prepared, prepareSchema } from "../store/schema.ts";
import { type PostgresStore, type PostgresStoreOptions, postgresStore } from "../store/store.ts";

/** The fleet that a use case is about. */
export interface FleetPlace {
  /** `--url`: its database, in place of what the environment says ({@link fleetSource}). */
  readonly url?: string | undefined;
}

/**
 * The URL of the fleet's database. Throws a `fleet/none` where none is given, and a
 * `fleet/bad-file` where the file that was named has none.
 */
export function fleetUrl({ url }: FleetPlace, { env }: Pick<Caller, "env">): string {
  if (url !== undefined) return url;
  const source = fleetSource(env);
  if (source === null) throw fleetErrors["fleet/none"]();
  return source.kind === "url" ? source.url : urlOfFile(source.file);
}

function urlOfFile(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw fleetErrors["fleet/bad-file"](
      file,
      error instanceof Error ? error.message : String(error),
    );
  }
  const url = text.trim();
  if (url === "" || /\s/.test(url))
    throw fleetErrors["fleet/bad-file"](file, "it is not one line with a URL");
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
export function devServer({ env }: Pick<Caller, "env">): Promise<TemporaryServer> {
  return startTemporaryServer({ start: startService, env: inherited(env), durable: true });
}
