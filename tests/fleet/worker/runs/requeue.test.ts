import { expect, it, onTestFinished } from "vitest";
import {
  findPlacement,
  placeRun,
  storeWorkflow,
} from "../../../../src/fleet/store/rows/placed-runs.ts";
import { postgresStore } from "../../../../src/fleet/store/store.ts";
import { failOver } from "../../../../src/fleet/worker/runs/requeue.ts";
import { fleetDatabase } from "../../../support/fleet/postgres.ts";
import { run } from "../../../support/runs.ts";

const nothing = () => Promise.resolve();
const queues = {
  ...{ enqueue: nothing, cancel: nothing, forget: nothing, close: nothing },
  dispatchedTo: () => Promise.resolve([]),
};

it("leaves a run to the worker of its home that came back and claimed it", async () => {
  const database = await fleetDatabase();
  const store = postgresStore(database, "/nowhere");
  onTestFinished(() => store.close());
  await store.save(run({ id: "a", saves: 1 }), 0);
  await storeWorkflow(database, { hash: "00", name: "w", bytes: Buffer.from("") });
  await placeRun(
    database,
    "a",
    {
      ...{ pool: "default", account: null, pinned: null, inside: "", lostSession: "fail" },
      ...{ workspace: { kind: "shared", folder: "/work" }, sessions: { kind: "home" } },
      ...{ failoverAfterMs: 0, entry: 1, at: null },
    },
    "00",
  );
  await database.query("UPDATE raymond.runs SET home = 'm1'");
  const seen = await findPlacement(database, "a");
  if (seen === null) throw new Error("the run was not placed");
  await store.claimQueued("a", 1);

  const early = await failOver(seen, { database, queues });
  await store.save(run({ id: "a", saves: 2 }), 1);
  await database.query("UPDATE raymond.holders SET heartbeat_at = now() - interval '1 hour'");
  const late = await failOver(seen, { database, queues });

  expect([early, late]).toEqual([false, true]);
});
