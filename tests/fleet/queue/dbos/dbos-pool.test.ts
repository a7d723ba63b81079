import { expect, it, onTestFinished } from "vitest";
import { dbosPool } from "../../../../src/fleet/queue/dbos/dbos-pool.ts";
import { readAddress } from "../../../../src/fleet/store/address.ts";
import { fleetUrl } from "../../../support/fleet/postgres.ts";
import { postgresProxy } from "../../../support/fleet/postgres-proxy.ts";

it("closes a connection that does not respond, and uses another one", async () => {
  const way = await postgresProxy(await fleetUrl());
  const pool = dbosPool(readAddress(way.url), { max: 1 }, () => undefined, { timeoutMs: 1_000 });
  onTestFinished(() => pool.end());
  const alone = await pool.connect();
  await alone.query("BEGIN");

  way.dropNextReply();

  await expect(alone.query("SELECT 1")).rejects.toThrow(/terminated/);
  await expect(alone.query("ROLLBACK")).rejects.toThrow();
  alone.release();
  expect((await pool.query("SELECT 2 AS two")).rows).toEqual([{ two: 2 }]);
  way.dropNextReply();
  await expect(pool.query("SELECT 3")).rejects.toThrow(/terminated/);
  expect((await pool.query("SELECT 4 AS four")).rows).toEqual([{ four: 4 }]);
});
