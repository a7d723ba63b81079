import { expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../src/runs/wire/system.ts";
import { takeLease } from "../../../src/stores/postgres/lease.ts";
import { fleetDatabase } from "../../support/postgres.ts";
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
