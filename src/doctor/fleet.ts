import { openFleet } from "../fleet/admin/fleet.ts";
import { listMachines } from "../fleet/lease/machines.ts";
import { listAccounts } from "../fleet/queue/accounts.ts";
import { packagesProblem } from "../fleet/queue/packages.ts";
import { strandedRuns } from "../fleet/queue/queued-runs.ts";
import { conversationBytes, type ServerFacts, serverFacts } from "../fleet/server/server-facts.ts";
import type { DatabaseAddress } from "../fleet/store/address.ts";
import type { Database } from "../fleet/store/database.ts";
import { requireSchema } from "../fleet/store/schema.ts";
import { checkSkew } from "../fleet/worker/readiness.ts";
import { type Check, failedBy, failure, ok, warning } from "../inspect/check.ts";
import type { FleetAccount, FleetMachine, FleetQueue } from "../inspect/fleet-board.ts";
import { formatBytes } from "../language/basics/bytes.ts";
import { counted } from "../language/basics/counted.ts";
import { toUsd } from "../language/basics/money.ts";
import { machineState } from "../log/machine-state.ts";
import type { Caller } from "../wire/caller.ts";

export async function fleetChecks(caller: Caller): Promise<readonly Check[]> {
  const problem = packagesProblem();
  const packages = problem === null ? ok("packages", "installed") : failedBy("packages")(problem);
  let database: Database;
  try {
    database = openFleet({}, caller);
  } catch (error) {
    return [packages, failedBy("database")(error)];
  }
  try {
    return [
      packages,
      ...(await serverChecks(database, caller)),
      ...(await tableChecks(database, caller)),
    ];
  } catch (error) {
    return [packages, failedBy("database")(error)];
  } finally {
    await database.close();
  }
}

async function serverChecks(database: Database, { now }: Caller): Promise<readonly Check[]> {
  const before = now();
  const facts = await serverFacts(database);
  // The server read its clock between the two readings.
  const here = (before + now()) / 2;
  return [
    checkServer(facts, database.address),
    checkSaves(facts),
    checkRoom(facts),
    checkSkew(here - facts.now),
  ];
}

async function tableChecks(database: Database, { now }: Caller): Promise<readonly Check[]> {
  try {
    await requireSchema(database);
  } catch (error) {
    return [failedBy("tables")(error)];
  }
  return [
    ok("tables", "up to date"),
    checkMachines(await listMachines(database)),
    ...checkQueues(await strandedRuns(database)),
    ok("conversations", `${formatBytes(await conversationBytes(database))} in the database`),
    ...(await listAccounts(database)).map((account) => checkAccount(account, now())),
  ];
}

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
      `${what}, is a standby, which is read-only.`,
      "Name the primary server in RAYMOND_FLEET.",
    );
  }
  if (number < OLDEST) {
    return failure("database", `${what}, is too old.`, "Use PostgreSQL 14 or newer.");
  }
  if (new URL(shown).searchParams.get("sslmode") === "no-verify") {
    return warning(
      "database",
      `${what}, encrypted, but without verification of the server certificate.`,
      'Replace sslmode=no-verify with sslrootcert=…, which names the certificate authority (docs/fleet.md, "TLS").',
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
    ? ok("saves", "on disk before raymond continues")
    : failure(
        "saves",
        "The server has fsync = off: a power loss there destroys the database.",
        "Set fsync = on.",
      );
}

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

type CheckedMachine = Pick<
  FleetMachine,
  "id" | "lives" | "version" | "draining" | "activeRuns" | "clientProblems"
>;

export function checkMachines(machines: readonly CheckedMachine[]): Check {
  const living = machines.filter(({ lives }) => lives);
  if (living.length === 0) {
    return warning("machines", "No worker is running.", "Start one: raymond worker");
  }
  const shownMachines = living.map((machine) => {
    const { id, version } = machine;
    const state = machineState(machine);
    const shown = `${id}${version === "" ? "" : ` (${version})`}`;
    return state === "working" ? shown : `${shown}, ${state}`;
  });
  const gone = machines.length - living.length;
  const unhealthy = living.flatMap(({ id, clientProblems }) =>
    Object.entries(clientProblems).map(
      ([account, problem]) =>
        `${id}${account === "" ? "" : ` (${account.startsWith("on ") ? "" : "account "}${account})`}: ${problem}`,
    ),
  );
  const text = `${shownMachines.join(", ")}${gone === 0 ? "" : `; ${String(gone)} more without a worker`}`;
  if (unhealthy.length > 0) {
    return warning(
      "machines",
      `${text}. These have no working client and claim no runs with prompts: ${unhealthy.join(" ")}`,
      "Fix the client on that machine, or set RAYMOND_CLIENT for its worker. The worker detects it within a minute.",
    );
  }
  if (living.every(({ draining }) => draining)) {
    return warning(
      "machines",
      `${text}: no machine claims runs.`,
      "Return one to service: raymond fleet drain MACHINE --end",
    );
  }
  if (new Set(living.map(({ version }) => version)).size === 1) return ok("machines", text);
  return warning(
    "machines",
    `${text}: different versions.`,
    'Bring them to the newest, one after the other (docs/fleet-operations.md, "Upgrades").',
  );
}

function checkAccount(
  { name, cooldown, limits: { perDayMicroUsd: most }, todayMicroUsd: spent }: FleetAccount,
  now: number,
): Check {
  const usd = (micro: number) => `$${toUsd(micro).toFixed(2)}`;
  if (cooldown !== null && cooldown.until.getTime() > now) {
    return warning(
      "account",
      `${name} waits for a usage limit until ${cooldown.until.toISOString()}.`,
      "Its runs resume automatically then.",
    );
  }
  const today = `${name}, today ${usd(spent)}${most === null ? "" : ` of ${usd(most)}`}`;
  return most !== null && spent >= most
    ? warning("account", `${today}: its daily budget is spent.`, "It resets at midnight UTC.")
    : ok("account", today);
}

function checkQueues(stranded: readonly FleetQueue[]): readonly Check[] {
  if (stranded.length === 0) return [ok("queues", "no run waits for an absent worker")];
  return stranded.map((each) => {
    const [what, hint] = words(each);
    const runs = each.runs === 1 ? `Run ${each.first} waits` : `${counted(each.runs, "run")} wait`;
    return warning("queues", `${runs} for ${what}.`, hint);
  });
}

function words({
  machine,
  pool,
  account,
  drained,
  lacksClient,
}: FleetQueue): readonly [string, string] {
  const having = account === null ? "" : ` with the account ${account}`;
  if (lacksClient) {
    const where = machine === null ? `a worker of the pool ${pool}` : `the machine ${machine}`;
    return [
      `${where}${having} with a working client`,
      "Show the problems with: raymond fleet workers",
    ];
  }
  if (machine !== null && drained) {
    return [
      `the machine ${machine}, which is drained`,
      `Return it to service: raymond fleet drain ${machine} --end`,
    ];
  }
  if (machine !== null) {
    return [
      `the machine ${machine}, which has no running worker${account === null ? "" : `, or lacks the account ${account}`}`,
      `Start it there: raymond worker --machine ${machine}. To move a run: raymond fleet move RUN --to MACHINE`,
    ];
  }
  const worker = `a worker of the pool ${pool}${having}`;
  if (drained)
    return [
      `${worker}: all running workers are drained`,
      "Return one to service: raymond fleet drain MACHINE --end",
    ];
  if (account === null) return [worker, `Start one: raymond worker --pool ${pool}`];
  return [
    worker,
    `Add [accounts.${account}] to accounts.toml on one of its machines, then restart the worker (docs/fleet.md, "Accounts").`,
  ];
}
