import { expect, it, onTestFinished } from "vitest";
import { handOver } from "../../src/fleet/hand-over.ts";
import { findPlacement, keepWorkflow, placeRun } from "../../src/stores/postgres/placed-runs.ts";
import { postgresStore } from "../../src/stores/postgres/store.ts";
import { fleetDatabase } from "../support/postgres.ts";
import { run } from "../support/runs.ts";

const nothing = () => Promise.resolve();
const queues = {
  ...{ enqueue: nothing, cancel: nothing, forget: nothing, close: nothing },
  claimsOf: () => Promise.resolve([]),
};

it("leaves a run to the worker of its home that has come back and claimed it meanwhile", async () => {
  const database = await fleetDatabase();
  const store = postgresStore(database, "/nowhere");
  onTestFinished(() => store.close());
  await store.save(run({ id: "a", saves: 1 }), 0);
  await keepWorkflow(database, { hash: "00", name: "w", bytes: Buffer.from("") });
  await placeRun(
    database,
    "a",
    {
      ...{ pool: "default", account: null, pinned: null, inside: "", lostSession: "fail" },
      ...{ workspace: { kind: "shared", folder: "/work" }, sessions: { kind: "home" } },
      ...{ failoverAfterMs: 0, go: 1, at: null },
    },
    "00",
  );
  await database.query("UPDATE raymond.runs SET home = 'm1'");
  const seen = await findPlacement(database, "a");
  if (seen === null) throw new Error("the run was not placed");
  await store.take("a", 1);

  const early = await handOver(seen, { database, queues });
  await store.save(run({ id: "a", saves: 2 }), 1);
  await database.query("UPDATE raymond.holders SET heard_at = now() - interval '1 hour'");
  const late = await handOver(seen, { database, queues });

  expect([early, late]).toEqual([false, true]);
});
