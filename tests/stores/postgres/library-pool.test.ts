import { expect, it, onTestFinished } from "vitest";
import { readAddress } from "../../../src/stores/postgres/address.ts";
import { libraryPool } from "../../../src/stores/postgres/library-pool.ts";
import { fleetUrl } from "../../support/postgres.ts";
import { postgresProxy } from "../../support/postgres-proxy.ts";

it("asks on another connection after one on which no answer comes any more", async () => {
  const way = await postgresProxy(await fleetUrl());
  const pool = libraryPool(readAddress(way.url), { max: 1 }, () => undefined, 1_000);
  onTestFinished(() => pool.end());
  const alone = await pool.connect();
  await alone.query("BEGIN");

  way.swallow();

  await expect(alone.query("SELECT 1")).rejects.toThrow(/terminated/);
  await expect(alone.query("ROLLBACK")).rejects.toThrow();
  alone.release();
  expect((await pool.query("SELECT 2 AS two")).rows).toEqual([{ two: 2 }]);
  way.swallow();
  await expect(pool.query("SELECT 3")).rejects.toThrow(/terminated/);
  expect((await pool.query("SELECT 4 AS four")).rows).toEqual([{ four: 4 }]);
});
