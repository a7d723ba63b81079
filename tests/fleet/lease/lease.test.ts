import { expect, it, onTestFinished } from "vitest";
import { acquireLease } from "../../../src/fleet/lease/lease.ts";
import { systemClock } from "../../../src/wire/system/system.ts";
import { fleetDatabase, fleetUrl, openedDatabase } from "../../support/fleet/postgres.ts";
import { postgresProxy } from "../../support/fleet/postgres-proxy.ts";
import { until } from "../../support/until.ts";

const me = { pid: 7, identity: "p7" };

async function leased() {
  const database = await fleetDatabase();
  const world = { database, clock: systemClock, ttlMs: 30_000, random: Math.random };
  const acquire = async (ttlMs = 30_000) => {
    const lease = await acquireLease("m1", me, { ...world, ttlMs });
    onTestFinished(() => lease.end());
    return lease;
  };
  return { database, acquire };
}

it("is held by one worker at a time, and by the next one after it ends", async () => {
  const { acquire } = await leased();
  const first = await acquire();

  await expect(acquire()).rejects.toMatchObject({ code: "fleet/machine-taken" });
  await first.end();

  expect((await acquire()).holder).not.toBe(first.holder);
});

it("explains the refusal of a read-only database user", async () => {
  const database = await fleetDatabase();
  await database.query(
    `CREATE ROLE looker LOGIN PASSWORD 'p';
     GRANT USAGE ON SCHEMA raymond TO looker;
     GRANT SELECT ON ALL TABLES IN SCHEMA raymond TO looker`,
  );
  const url = new URL(database.address.url);
  url.username = "looker";
  url.password = "p";
  const world = { clock: systemClock, ttlMs: 30_000, random: Math.random };

  await expect(
    acquireLease("m1", me, { ...world, database: openedDatabase(url.href) }),
  ).rejects.toMatchObject({ code: "fleet/refused" });
});

it("outlives its connection", async () => {
  const { database, acquire } = await leased();
  const lease = await acquire(12_000);
  const lastHeartbeat = async () => {
    const [row] = await database.query<{ heartbeat_at: Date }>(
      "SELECT heartbeat_at FROM raymond.holders WHERE id = $1",
      [lease.holder],
    );
    return row?.heartbeat_at.getTime() ?? 0;
  };

  await database.query(
    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid() AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
  );
  const before = await lastHeartbeat();
  await until("a heartbeat", async () => ((await lastHeartbeat()) > before ? true : undefined));

  expect(lease.lost.aborted).toBe(false);
});

it("is lost when another process has removed the worker", async () => {
  const { database, acquire } = await leased();
  const lease = await acquire(600);

  await database.query("DELETE FROM raymond.holders WHERE id = $1", [lease.holder]);

  expect(await until("the loss", () => Promise.resolve(lease.lost.aborted || undefined))).toBe(
    true,
  );
});

it("outlives a dead connection that the server keeps open", async () => {
  const url = await fleetUrl();
  const [direct, way] = [openedDatabase(url), await postgresProxy(url)];
  const world = { clock: systemClock, ttlMs: 9_000, random: Math.random };
  const lease = await acquireLease("m1", me, { ...world, database: openedDatabase(way.url) });
  onTestFinished(() => lease.end());
  const lastHeartbeat = async () => {
    const [row] = await direct.query<{ heartbeat_at: Date }>(
      "SELECT heartbeat_at FROM raymond.holders",
    );
    return row?.heartbeat_at.getTime() ?? 0;
  };

  way.dropNextReply();
  const before = await lastHeartbeat();
  await until(
    "a heartbeat",
    async () => (await lastHeartbeat()) > before || lease.lost.aborted || undefined,
  );

  expect(lease.lost.aborted).toBe(false);
});

it("goes to the next worker of the machine once it has expired, although the server keeps its connection open", async () => {
  const url = await fleetUrl();
  const [direct, way] = [openedDatabase(url), await postgresProxy(url)];
  const world = { clock: systemClock, ttlMs: 900, random: Math.random };
  const silent = await acquireLease("m1", me, { ...world, database: openedDatabase(way.url) });
  way.partition();

  const next = await until("the next", () =>
    acquireLease("m1", me, { ...world, database: direct }).catch(() => undefined),
  );

  expect(next.holder).not.toBe(silent.holder);
  await next.end();
  way.heal();
  await silent.end();
});

it("is lost when it expires while the worker reconnects", async () => {
  const way = await postgresProxy(await fleetUrl());
  let jumpMs = 0;
  let isCut = false;
  // The lease expires at the first pause before a new connection, and that pause ends at once.
  const random = () => {
    if (!isCut) return 0.5;
    jumpMs = 60_000;
    return -0.5;
  };
  const clock = { ...systemClock, elapsed: () => systemClock.elapsed() + jumpMs };
  const world = { clock, ttlMs: 9_000, random };
  const lease = await acquireLease("m1", me, { ...world, database: openedDatabase(way.url) });
  onTestFinished(() => lease.end());

  isCut = true;
  way.dropNextReply();
  way.close();

  await until("the loss", () => Promise.resolve(lease.lost.aborted || undefined));
});
