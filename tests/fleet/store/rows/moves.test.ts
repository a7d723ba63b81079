import { describe, expect, it, onTestFinished } from "vitest";
import type { Database } from "../../../../src/fleet/store/database.ts";
import {
  moveOutcomes,
  moveRequests,
  requestMove,
  requestMovesFrom,
  requeueMoves,
} from "../../../../src/fleet/store/rows/moves.ts";
import {
  findPlacement,
  markQueued,
  placeRun,
  storeWorkflow,
  unqueuedRuns,
} from "../../../../src/fleet/store/rows/placed-runs.ts";
import type { Placement, Workspace } from "../../../../src/fleet/store/rows/placement.ts";
import { type PostgresStore, postgresStore } from "../../../../src/fleet/store/store.ts";
import type { RunState } from "../../../../src/machine/model/run-state.ts";
import { fleetDatabase } from "../../../support/fleet/postgres.ts";
import { run } from "../../../support/runs.ts";

const SHARED: Workspace = { kind: "shared", folder: "/work" };
const LOCAL: Workspace = { kind: "local", folder: null };

function storeOn(database: Database): PostgresStore {
  const store = postgresStore(database, "/nowhere");
  onTestFinished(() => store.close());
  return store;
}

/** Runs in the queue, whose home is m1. */
async function submitted(of: Readonly<Record<string, Workspace>>) {
  const database = await fleetDatabase();
  const store = storeOn(database);
  await storeWorkflow(database, { hash: "00", name: "w", bytes: Buffer.from("") });
  for (const [id, workspace] of Object.entries(of)) {
    const placement: Placement = {
      ...{ pool: "default", account: null, pinned: "m1", inside: "", lostSession: "fail" },
      ...{ workspace, sessions: { kind: "home" }, failoverAfterMs: 0, entry: 1, at: null },
    };
    await store.save(run({ id, saves: 1 }), 0);
    await placeRun(database, id, placement, "00");
    await markQueued(database, id, 1);
  }
  await database.query("UPDATE raymond.runs SET home = 'm1'");
  return { database, store };
}

const REQUEUED = { open: true, move: null, claims: { stalled: 0, steps: null }, setAside: null };

describe("a run with a move request", () => {
  it("is requeued for its new machine by any process, if no process holds it", async () => {
    const { database } = await submitted({ a: SHARED });
    await database.query("UPDATE raymond.runs SET set_aside = 'its folder is not there'");

    expect(await requestMove(database, "a", "m2")).toBe(true);
    const outcome = await moveOutcomes(database, ["a"]);
    const requeued = await Promise.all([
      requeueMoves(database, null),
      requeueMoves(database, null),
    ]);

    expect(outcome.get("a")).toBe("requested");
    expect(requeued.flat()).toMatchObject([{ id: "a", before: 1 }]);
    expect(await findPlacement(database, "a")).toMatchObject({
      ...{ ...REQUEUED, placement: { entry: 2, pinned: "m2" } },
    });
    expect((await unqueuedRuns(database)).map(({ id }) => id)).toEqual(["a"]);
    expect((await moveOutcomes(database, ["a"])).get("a")).toBe("moved");
  });

  it("is requeued by the worker that releases it, and by no other process before", async () => {
    const { database, store } = await submitted({ a: SHARED });
    const taken = await store.claimQueued("a", 1);
    await requestMove(database, "a", "m2");

    expect(await moveRequests(database, ["a", "b"])).toEqual(["a"]);
    expect(await requeueMoves(database, null)).toEqual([]);
    expect(await unqueuedRuns(database)).toEqual([]);
    expect(await taken?.close()).toBe(true);

    expect(await store.holder("a")).toBeNull();
    expect(await findPlacement(database, "a")).toMatchObject({
      ...{ ...REQUEUED, placement: { entry: 2, pinned: "m2" } },
    });
    expect(await moveRequests(database, ["a"])).toEqual([]);
  });

  it("is fenced from a worker that died", async () => {
    const { database, store } = await submitted({ a: SHARED });
    await store.claimQueued("a", 1);
    await requestMove(database, "a", "m2");
    await database.query("UPDATE raymond.holders SET heartbeat_at = now() - interval '1 hour'");

    expect(await requeueMoves(database, ["a"])).toMatchObject([{ id: "a", before: 1 }]);

    await expect(store.save(run({ id: "a", saves: 2 }), 1)).rejects.toMatchObject({
      code: "store/run-taken",
    });
  });

  it.each(["holder", "other process"])(
    "stays complete if it completed in the meantime (%s)",
    async (finder) => {
      const { database, store } = await submitted({ a: SHARED });
      const taken = await store.claimQueued("a", 1);
      await requestMove(database, "a", "m2");
      const complete: RunState = run({ id: "a", saves: 2, status: "completed", agents: [] });
      await store.save(complete, 1);

      if (finder === "holder") expect(await taken?.close()).toBe(false);
      else {
        await database.query("UPDATE raymond.runs SET holder = NULL");
        expect(await requeueMoves(database, null)).toEqual([]);
      }

      expect((await moveOutcomes(database, ["a"])).get("a")).toBe("completed");
      expect(await findPlacement(database, "a")).toMatchObject({
        ...{ open: false, move: null, placement: { entry: 1, pinned: "m1" } },
      });
    },
  );

  it("is any run of a drained machine whose files are not only there", async () => {
    const { database } = await submitted({ a: SHARED, b: LOCAL, c: SHARED, d: SHARED });
    await database.query("UPDATE raymond.runs SET home = 'm2' WHERE id = 'c'");
    await database.query(
      `UPDATE raymond.runs SET placement = placement || '{"open": false}' WHERE id = 'd'`,
    );

    expect(await requestMovesFrom(database, "m1")).toEqual(["a"]);
    await requeueMoves(database, null);

    expect(await findPlacement(database, "a")).toMatchObject({
      ...{ ...REQUEUED, placement: { entry: 2, pinned: null } },
    });
    expect(await requestMove(database, "d", "m2")).toBe(false);
  });

  it("stays on its home if its files turn out to be only there", async () => {
    const { database } = await submitted({ a: LOCAL });

    await requestMove(database, "a", "m2");
    await requeueMoves(database, null);

    expect(await findPlacement(database, "a")).toMatchObject({
      ...{ ...REQUEUED, placement: { entry: 2, pinned: "m1" } },
    });
  });
});
