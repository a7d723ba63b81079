import { formatBytes } from "../../core/bytes.ts";
import { RaymondError } from "../../core/errors.ts";
import { toUsd } from "../../core/money.ts";
import { machineState } from "../../observers/machine-state.ts";
import type { DatabaseAddress } from "../../stores/postgres/address.ts";
import type { Database } from "../../stores/postgres/database.ts";
import { packagesProblem } from "../../stores/postgres/packages.ts";
import { strandedRuns } from "../../stores/postgres/queued-runs.ts";
import { requireSchema } from "../../stores/postgres/schema.ts";
import {
  type AccountFacts,
  accountFacts,
  conversationBytes,
  type MachineFacts,
  machineFacts,
  type ServerFacts,
  serverFacts,
} from "../../stores/postgres/server-facts.ts";
import type { Caller } from "../caller.ts";
import { openFleet } from "../wire/fleet.ts";
import { type Check, failure, ok, warning } from "./check.ts";
import { checkQueues } from "./fleet-queues.ts";

/** Looks at the fleet that the environment names, as far as it can be reached. */
export async function fleetChecks(caller: Caller): Promise<readonly Check[]> {
  const problem = packagesProblem();
  const packages = problem === null ? ok("packages", "installed") : refused("packages", problem);
  let database: Database;
  try {
    database = openFleet({}, caller);
  } catch (error) {
    return [packages, refused("database", error)];
  }
  try {
    return [packages, ...(await serverChecks(database, caller)), ...(await tableChecks(database))];
  } catch (error) {
    return [packages, refused("database", error)];
  } finally {
    await database.close();
  }
}

async function serverChecks(database: Database, { now }: Caller): Promise<readonly Check[]> {
  const before = now();
  const facts = await serverFacts(database);
  // What it says is of some moment between the two.
  const here = (before + now()) / 2;
  return [
    checkServer(facts, database.address),
    checkSaves(facts),
    checkRoom(facts),
    checkSkew(here - facts.now),
  ];
}

async function tableChecks(database: Database): Promise<readonly Check[]> {
  try {
    await requireSchema(database);
  } catch (error) {
    return [refused("tables", error)];
  }
  return [
    ok("tables", "up to date"),
    checkMachines(await machineFacts(database)),
    ...checkQueues(await strandedRuns(database)),
    ok("conversations", `${formatBytes(await conversationBytes(database))} in the database`),
    ...(await accountFacts(database)).map(checkAccount),
  ];
}

/** What is no RaymondError is a bug, and goes on. */
function refused(name: string, error: unknown): Check {
  if (!(error instanceof RaymondError)) throw error;
  return failure(name, error.message, error.hint ?? "");
}

/** The database itself, and the way to it. */
export function checkServer(
  {
    version,
    number,
    encrypted,
    standby,
  }: Pick<ServerFacts, "version" | "number" | "encrypted" | "standby">,
  { shown, isLocal }: Pick<DatabaseAddress, "shown" | "isLocal">,
): Check {
  const what = `${shown}, PostgreSQL ${version}`;
  if (standby) {
    return failure(
      "database",
      `${what}, is a standby: nothing can be saved there.`,
      "Name the primary server in RAYMOND_FLEET.",
    );
  }
  if (number < OLDEST) {
    return failure("database", `${what}, is too old.`, "Take PostgreSQL 14 or newer.");
  }
  if (new URL(shown).searchParams.get("sslmode") === "no-verify") {
    return warning(
      "database",
      `${what}, encrypted, but nobody asks whether it is that server.`,
      'Name what has signed its certificate by sslrootcert=… in place of sslmode=no-verify (docs/fleet.md, "TLS").',
    );
  }
  return ok(
    "database",
    `${what}, ${encrypted ? "encrypted" : isLocal ? "on this machine" : "not encrypted"}`,
  );
}

const OLDEST = 140_000;

/** Whether a save survives a power loss of the server. */
export function checkSaves({ fsync }: Pick<ServerFacts, "fsync">): Check {
  return fsync
    ? ok("saves", "on disk before raymond goes on")
    : failure(
        "saves",
        "The server has fsync = off: a power loss there destroys the database.",
        "Set fsync = on.",
      );
}

/** Connections that are left. */
export function checkRoom({
  maxConnections,
  connections,
}: Pick<ServerFacts, "maxConnections" | "connections">): Check {
  const text = `${String(connections)} of ${String(maxConnections)} connections are in use`;
  return maxConnections - connections < FEW
    ? warning(
        "room",
        `${text}.`,
        "Raise max_connections of the server: a worker needs about a dozen.",
      )
    : ok("room", text);
}

const FEW = 15;

/** `ms`: how far this clock is ahead of that of the database. */
export function checkSkew(ms: number): Check {
  const seconds = Math.round(Math.abs(ms) / 1000);
  if (seconds < 5) return ok("skew", "this clock and that of the database agree");
  const text = `This clock is ${String(seconds)} s ${ms > 0 ? "ahead of" : "behind"} that of the database.`;
  const hint = "Let one service (NTP) set both: when a wait of a run here is over, this one says.";
  return seconds < 60 ? warning("skew", text, hint) : failure("skew", text, hint);
}

/** Who takes runs. */
export function checkMachines(machines: readonly MachineFacts[]): Check {
  const living = machines.filter(({ lives }) => lives);
  if (living.length === 0) {
    return warning("machines", "No worker is there to take runs.", "Start one: raymond worker");
  }
  const told = living.map((machine) => {
    const { id, version } = machine;
    const state = machineState(machine);
    const shown = `${id}${version === "" ? "" : ` (${version})`}`;
    return state === "working" ? shown : `${shown}, ${state}`;
  });
  const gone = machines.length - living.length;
  const unhealthy = living.flatMap(({ id, clientProblems }) =>
    Object.entries(clientProblems).map(
      ([account, problem]) => `${id}${account === "" ? "" : ` (account ${account})`}: ${problem}`,
    ),
  );
  const text = `${told.join(", ")}${gone === 0 ? "" : `; ${String(gone)} more not there`}`;
  if (unhealthy.length > 0) {
    return warning(
      "machines",
      `${text}. Without a working client, so that runs with prompts are left to others: ${unhealthy.join(" ")}`,
      "Fix the client there; its worker notices within a minute. RAYMOND_CLAUDE in the environment of the worker names another client.",
    );
  }
  if (living.every(({ draining }) => draining)) {
    return warning(
      "machines",
      `${text}: no machine claims runs.`,
      "Return one to service: raymond drain MACHINE --end",
    );
  }
  if (new Set(living.map(({ version }) => version)).size === 1) return ok("machines", text);
  return warning(
    "machines",
    `${text}: not of one version.`,
    'Bring them to the newest, one after the other (docs/fleet-operations.md, "Upgrading with runs in flight").',
  );
}

function checkAccount({ name, cooling, most, spent }: AccountFacts): Check {
  const usd = (micro: number) => `$${toUsd(micro).toFixed(2)}`;
  if (cooling !== null) {
    return warning(
      "account",
      `${name} waits for a usage limit until ${cooling.toISOString()}.`,
      "Its runs go on then by themselves.",
    );
  }
  const today = `${name}, today ${usd(spent)}${most === null ? "" : ` of ${usd(most)}`}`;
  return most !== null && spent >= most
    ? warning(
        "account",
        `${today}: its budget of the day is used up.`,
        "It begins anew at midnight, UTC.",
      )
    : ok("account", today);
}
