import { expect, it } from "vitest";
import { serverOfAll } from "../../support/fleet/postgres.ts";
import { type PostgresProxy, postgresProxy } from "../../support/fleet/postgres-proxy.ts";
import { until } from "../../support/until.ts";
import type { Scene } from "./scene.ts";
import {
  completed,
  isAlive,
  isWaiting,
  loggingScene,
  recordsOf,
  stepsOf,
  waiting,
} from "./waiting.ts";

/** The connections of a worker (docs/fleet-operations.md, "PostgreSQL"). */
const MOST_CONNECTIONS = 20;

/** Two steps beside each other, each until there is a file of its name. */
const BESIDE = {
  "w/1_START.sh":
    'echo start >> "$FOLDER/steps"\necho "<fork>ENDS</fork><fork>HANGS</fork><join>2_JOIN</join>"',
  "w/ENDS.sh": `echo ends $$ >> "$FOLDER/steps"
until [ -e "$FOLDER/ends" ]; do sleep 0.2; done
echo over >> "$FOLDER/steps"
echo "<result>ended</result>"`,
  "w/HANGS.sh": `echo hangs $$ >> "$FOLDER/steps"
until [ -e "$FOLDER/hangs" ]; do sleep 0.2; done
echo "<result>hung</result>"`,
  "w/2_JOIN.sh": 'echo join >> "$FOLDER/steps"\necho "<result>done</result>"',
};

it("repeats no step after a restart of its database, without a request storm, and takes over from a dead machine", async () => {
  const ways = new Map<string, PostgresProxy>();
  const scene = await waiting({
    envOf: (machine) => ({ RAYMOND_FLEET: ways.get(machine)?.url ?? "" }),
  });
  const url = scene.project.env["RAYMOND_FLEET"] ?? "";
  for (const machine of ["m1", "m2"]) ways.set(machine, await postgresProxy(url));
  await keepCommits(scene);
  const workers = { m1: await scene.worker("m1"), m2: await scene.worker("m2") };
  const id = await scene.submit("w", "--workspace", "shared", "--failover-after", "1s");
  await isWaiting(scene);
  const { home } = await scene.rowOf(id, (row) => row.home !== null);
  const other = home === "m1" ? "m2" : "m1";

  const server = await serverOfAll();
  await server.stop("at once");
  await server.start();
  await until("heartbeats of both workers", () => bothAreBack(scene));
  const stepsAfter = await stepsOf(scene);

  workers[home as "m1"].kill("SIGKILL");
  await scene.rowOf(id, (row) => row.home === other);
  await isWaiting(scene, 2);
  await scene.project.write("go", "");

  expect(await scene.rowOf(id, completed)).toMatchObject({ home: other, steps: 3 });
  // Over all of it, and not only when it is over.
  for (const way of ways.values())
    expect(way.maxConnections()).toBeLessThanOrEqual(MOST_CONNECTIONS);
  expect(stepsAfter).toEqual(["start", "wait"]);
  expect(await stepsOf(scene)).toEqual(["start", "wait", "wait", "end"]);
});

it("does not fail runs when the database disk is full, and continues when it has space", async () => {
  const scene = await waiting();
  await scene.database.query(
    `CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$`,
  );
  await scene.database.query(
    `CREATE TABLE counted (n serial, claims jsonb);
     CREATE FUNCTION count_claims() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN INSERT INTO counted (claims) VALUES (NEW.placement->'claims'); RETURN NULL; END $$;
     CREATE TRIGGER count_claims AFTER UPDATE ON raymond.runs FOR EACH ROW
       WHEN (OLD.placement->'claims' IS DISTINCT FROM NEW.placement->'claims') EXECUTE FUNCTION count_claims()`,
  );
  const worker = await scene.worker("m1", "--ttl", "4s");
  const id = await scene.submit("w");
  await isWaiting(scene);
  await scene.database.query(
    "CREATE TRIGGER no_room BEFORE UPDATE OF version ON raymond.runs EXECUTE FUNCTION no_room()",
  );
  await scene.project.write("go", "");

  await worker.waitForStderr(/interrupted, will be retried: .*the disk of the server is full/);
  const counted = await scene.database.query<{ claims: object }>(
    "SELECT claims FROM counted ORDER BY n LIMIT 2",
  );
  await scene.database.query("DROP TRIGGER no_room ON raymond.runs");

  expect(await scene.rowOf(id, completed)).toMatchObject({ steps: 3 });
  expect(counted.map(({ claims }) => claims)).toMatchObject([
    { stalled: 0, steps: 0 },
    { stalled: 0, steps: null },
  ]);
});

it("rejects writes of a disconnected machine, also after it reconnects, and kills its processes", async () => {
  const ways = new Map<string, PostgresProxy>();
  const scene = await loggingScene(BESIDE, {
    envOf: (machine) => {
      const way = ways.get(machine);
      return way === undefined ? {} : { RAYMOND_FLEET: way.url };
    },
  });
  const { project } = scene;
  const way = await postgresProxy(project.env["RAYMOND_FLEET"] ?? "");
  ways.set("m1", way);
  const cutOff = await scene.worker("m1", "--ttl", TTL);
  const id = await scene.submit("w", "--workspace", "shared", "--failover-after", "1s");
  const first = await project.fileWith("steps", bothHaveStarted);
  await scene.worker("m2");

  way.partition();
  // It ends while nothing can be saved: what it has said is on its way until the end.
  await project.write("ends", "");
  await project.fileWith("steps", (text) => text.includes("over"));
  const [pid] = /(?<=hangs )\d+/.exec(first) ?? [];
  await until("the end of what it had started", () =>
    Promise.resolve(!isAlive(Number(pid)) || undefined),
  );
  await scene.rowOf(id, (row) => row.home === "m2");
  await project.fileWith("steps", (text) => text.split("hangs").length > 2);
  await project.write("hangs", "");
  const row = await scene.rowOf(id, completed);
  const before = await recordsOf(scene, id);
  await until("twice the time that a lease is good to be over", () => isSilent(scene, "m1"));
  way.heal();
  const { exitCode, stderr } = await cutOff.exit;
  await until("the end of its connections", () => isGone(scene));

  expect(exitCode).toBe(1);
  expect(stderr).toContain("lease has expired");
  expect(row).toMatchObject({ home: "m2", steps: 4 });
  expect(await recordsOf(scene, id)).toEqual(before);
  const started = (await stepsOf(scene)).filter((step) => step !== "over");
  expect(started.toSorted()).toEqual(["ends", "ends", "hangs", "hangs", "join", "start"]);
});

/** Of the one that is cut off; the other is to be sure of its own lease. */
const TTL = "8s";

/** What a fast server of tests may forget when it ends at once. */
async function keepCommits({ database }: Scene): Promise<void> {
  await database.query(
    "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = on', current_database()); END $$",
  );
}

async function bothAreBack({ database }: Scene): Promise<true | undefined> {
  const alive = await database
    .query("SELECT 1 FROM raymond.holders WHERE heartbeat_at > pg_postmaster_start_time()")
    .catch(() => []);
  return alive.length === 2 ? true : undefined;
}

/** Whether a machine has sent no heartbeat for twice the lease time. */
async function isSilent({ database }: Scene, machine: string): Promise<true | undefined> {
  const silent = await database.query(
    `SELECT 1 FROM raymond.holders WHERE machine = $1
        AND heartbeat_at < clock_timestamp() - 2 * (place->>'ttlMs')::float8 * interval '1 ms'`,
    [machine],
  );
  return silent.length > 0 ? true : undefined;
}

async function isGone({ database }: Scene): Promise<true | undefined> {
  const left = await database.query(
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'raymond m1'",
  );
  return left.length === 0 ? true : undefined;
}

function bothHaveStarted(text: string): boolean {
  return text.includes("ends") && text.includes("hangs");
}
