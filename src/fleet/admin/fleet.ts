import { addAbortListener } from "node:events";
import { readFileSync } from "node:fs";
import { startService } from "../../process/children/service.ts";
import type { Caller } from "../../wire/caller.ts";
import { inherited } from "../../wire/engine/inherited.ts";
import { fleetSource } from "../../wire/fleet-variable.ts";
import { fleetErrors } from "../errors.ts";
import { prepareDbos } from "../queue/dbos/dbos.ts";
import { startTemporaryServer, type TemporaryServer } from "../server/temporary-server.ts";
import { type Database, openDatabase } from "../store/database.ts";
import { type Prepared, prepareSchema } from "../store/schema.ts";
import { createRoles, type FleetRoles, refreshRoles } from "./roles.ts";

interface FleetPlace {
  /** `--url`: replaces the URL of the environment. */
  readonly url?: string | undefined;
}

/** The URL of the fleet's database. Throws `fleet/none` or `fleet/bad-file`. */
export function fleetUrl({ url }: FleetPlace, { env }: Pick<Caller, "env">): string {
  if (url !== undefined) return url;
  const source = fleetSource(env);
  if (source === null) throw fleetErrors["fleet/none"]();
  return source.kind === "url" ? source.url : urlInFile(source.file);
}

function urlInFile(file: string): string {
  let url: string;
  try {
    url = readFileSync(file, "utf8").trim();
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw fleetErrors["fleet/bad-file"](file, problem);
  }
  if (url === "" || /\s/.test(url))
    throw fleetErrors["fleet/bad-file"](file, "it is not one line with a URL");
  return url;
}

/** Opens the database of the fleet; the caller closes it. */
export function openFleet(place: FleetPlace, caller: Pick<Caller, "env">): Database {
  return openDatabase(fleetUrl(place, caller));
}

/** Creates or migrates the tables of raymond and DBOS. */
export async function prepareFleet(database: Database): Promise<Prepared> {
  const prepared = await prepareSchema(database);
  await prepareDbos(database);
  return prepared;
}

/** A prepared database. `roles`: null unless they were requested. */
export interface InitializedFleet extends Prepared {
  /** Its URL without the password. */
  readonly database: string;
  readonly roles: FleetRoles | null;
}

/** Prepares the database of a fleet, and on request its roles. */
export async function initFleet(
  { roles: wantsRoles = false, ...place }: FleetPlace & { readonly roles?: boolean | undefined },
  caller: Caller,
): Promise<InitializedFleet> {
  const database = openFleet(place, caller);
  try {
    const prepared = await prepareFleet(database);
    const roles = wantsRoles ? await createRoles(database) : null;
    if (roles === null) await refreshRoles(database);
    return { database: database.address.shown, ...prepared, roles };
  } finally {
    await database.close();
  }
}

interface DevFleet {
  readonly url: string;
  /** The origin of the server program. */
  readonly from: TemporaryServer["binaries"]["from"];
}

/**
 * Starts a temporary PostgreSQL server on loopback, and prepares it for a fleet. Resolves with true when `signal` aborts,
 * and with false if the server ends before. Deletes the files of the server.
 */
export async function devFleet(
  caller: Caller,
  signal: AbortSignal,
  onReady: (fleet: DevFleet) => void,
): Promise<boolean> {
  const env = inherited(caller.env);
  const server = await startTemporaryServer({ start: startService, env, durable: true });
  try {
    await initFleet({ url: server.url }, caller);
    onReady({ url: server.url, from: server.binaries.from });
    return await new Promise<boolean>((resolve) => {
      addAbortListener(signal, () => {
        resolve(true);
      });
      void server.lost.then(() => {
        resolve(false);
      });
    });
  } finally {
    await server.end();
  }
}
