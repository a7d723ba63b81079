import { expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../src/runs/wire/system.ts";
import { takeLease } from "../../../src/stores/postgres/lease.ts";
import { fleetDatabase, fleetUrl, openedDatabase } from "../../support/postgres.ts";
import { postgresProxy } from "../../support/postgres-proxy.ts";
import { until } from "../../support/until.ts";

const me = { pid: 7, identity: "p7" };

async function leased() {
  const database = await fleetDatabase();
  const world = { database, clock: systemClock, ttlMs: 30_000, dice: Math.random };
  const take = async (ttlMs = 30_000) => {
    const lease = await takeLease("m1", me, { ...world, ttlMs });
    onTestFinished(() => lease.end());
    return lease;
  };
  return { database, take };
}

it("is one worker's at a time, and the next one's once that has ended", async () => {
  const { take } = await leased();
  const first = await take();

  await expect(take()).rejects.toMatchObject({ code: "fleet/machine-taken" });
  await first.end();

  expect((await take()).holder).not.toBe(first.holder);
});

it("is refused in words to a user who may only look", async () => {
  const database = await fleetDatabase();
  await database.query(
    `CREATE ROLE looker LOGIN PASSWORD 'p';
     GRANT USAGE ON SCHEMA raymond TO looker;
     GRANT SELECT ON ALL TABLES IN SCHEMA raymond TO looker`,
  );
  const url = new URL(database.address.url);
  url.username = "looker";
  url.password = "p";
  const world = { clock: systemClock, ttlMs: 30_000, dice: Math.random };

  await expect(
    takeLease("m1", me, { ...world, database: openedDatabase(url.href) }),
  ).rejects.toMatchObject({ code: "fleet/refused" });
});

it("outlives its connection", async () => {
  const { database, take } = await leased();
  const lease = await take(12_000);
  const heard = async () => {
    const [row] = await database.query<{ heard_at: Date }>(
      "SELECT heard_at FROM raymond.holders WHERE id = $1",
      [lease.holder],
    );
    return row?.heard_at.getTime() ?? 0;
  };

  await database.query(
    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid() AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
  );
  const before = await heard();
  await until("a beat", async () => ((await heard()) > before ? true : undefined));

  expect(lease.lost.aborted).toBe(false);
});

it("is lost when somebody has taken the worker for dead", async () => {
  const { database, take } = await leased();
  const lease = await take(600);

  await database.query("DELETE FROM raymond.holders WHERE id = $1", [lease.holder]);

  expect(await until("the loss", () => Promise.resolve(lease.lost.aborted || undefined))).toBe(
    true,
  );
});

it("outlives a connection that nobody hears any more, while the server holds it open", async () => {
  const url = await fleetUrl();
  const [direct, way] = [openedDatabase(url), await postgresProxy(url)];
  const world = { clock: systemClock, ttlMs: 9_000, dice: Math.random };
  const lease = await takeLease("m1", me, { ...world, database: openedDatabase(way.url) });
  onTestFinished(() => lease.end());
  const heard = async () => {
    const [row] = await direct.query<{ heard_at: Date }>("SELECT heard_at FROM raymond.holders");
    return row?.heard_at.getTime() ?? 0;
  };

  way.swallow();
  const before = await heard();
  await until("a beat", async () => (await heard()) > before || lease.lost.aborted || undefined);

  expect(lease.lost.aborted).toBe(false);
});

it("is the next worker's of the machine once it was silent for too long, though the server holds its connection open", async () => {
  const url = await fleetUrl();
  const [direct, way] = [openedDatabase(url), await postgresProxy(url)];
  const world = { clock: systemClock, ttlMs: 900, dice: Math.random };
  const silent = await takeLease("m1", me, { ...world, database: openedDatabase(way.url) });
  way.partition();

  const next = await until("the next", () =>
    takeLease("m1", me, { ...world, database: direct }).catch(() => undefined),
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
  const dice = () => {
    if (!isCut) return 0.5;
    jumpMs = 60_000;
    return -0.5;
  };
  const clock = { ...systemClock, elapsed: () => systemClock.elapsed() + jumpMs };
  const world = { clock, ttlMs: 9_000, dice };
  const lease = await takeLease("m1", me, { ...world, database: openedDatabase(way.url) });
  onTestFinished(() => lease.end());

  isCut = true;
  way.swallow();
  way.close();

  await until("the loss", () => Promise.resolve(lease.lost.aborted || undefined));
});
