import { expect, it } from "vitest";
import { emptyDatabaseUrl, openedDatabase } from "../../support/fleet/postgres.ts";
import { postgresProxy } from "../../support/fleet/postgres-proxy.ts";

it("retries on another connection while there is patience, if its own was dropped silently", async () => {
  const way = await postgresProxy(await emptyDatabaseUrl());
  const database = openedDatabase(way.url, { patienceMs: 6_000 });
  await database.query("SELECT 1");

  way.dropNextReply();

  expect(await database.query("SELECT 2 AS n")).toEqual([{ n: 2 }]);
});
