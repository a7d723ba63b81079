import type pg from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Database } from "../../../src/fleet/store/database.ts";
import {
  findPlacement,
  placeRun,
  storeWorkflow,
} from "../../../src/fleet/store/rows/placed-runs.ts";
import type { Placement } from "../../../src/fleet/store/rows/placement.ts";
import { type PostgresStore, postgresStore } from "../../../src/fleet/store/store.ts";
import type { RunId } from "../../../src/machine/model/run-state.ts";
import {
  emptyTables,
  fleetDatabase,
  fleetUrl,
  openedDatabase,
} from "../../support/fleet/postgres.ts";
import { type Cut, postgresProxy } from "../../support/fleet/postgres-proxy.ts";
import { run } from "../../support/runs.ts";

const LONG = "x".repeat(70_000);
const IDS = ["a", "b", "c", "d", "e", "f"].map((name) => `wf-${name}`);
const PLACEMENT: Placement = {
  ...{ pool: "default", account: null, pinned: null, inside: "", lostSession: "fail" },
  workspace: { kind: "local", folder: null },
  sessions: { kind: "home" },
  ...{ failoverAfterMs: 0, entry: 1, at: null },
};

function storeOn(database: Database): PostgresStore {
  const store = postgresStore(database, "/nowhere");
  onTestFinished(() => store.close());
  return store;
}

/** Submitted runs, each with a long text. */
async function submitted(database: Database): Promise<void> {
  const store = storeOn(database);
  await storeWorkflow(database, { hash: "00", name: "w", bytes: Buffer.from("") });
  const placed = IDS.map(async (id) => {
    await store.save(run({ id, saves: 1, results: { main: `${id} ${LONG}` } }), 0);
    await placeRun(database, id, PLACEMENT, "00");
  });
  await Promise.all(placed);
}

async function prepared(): Promise<Database> {
  const database = await fleetDatabase();
  await submitted(database);
  return database;
}

/** The stored parts of a run. */
interface Kept {
  readonly version: number;
  readonly state: string;
  readonly file: string;
  readonly bytes: Buffer;
}

const KEPT =
  "SELECT version, state, file, bytes FROM raymond.runs JOIN raymond.payloads ON run = id WHERE id = 'wf-a'";

async function put(client: pg.Client, kept: Kept | undefined): Promise<void> {
  await client.query("UPDATE raymond.runs SET version = $1, state = $2 WHERE id = 'wf-a'", [
    ...[kept?.version, kept?.state],
  ]);
  await client.query("DELETE FROM raymond.payloads WHERE run = 'wf-a'");
  await client.query("INSERT INTO raymond.payloads (run, file, bytes) VALUES ('wf-a', $1, $2)", [
    ...[kept?.file, kept?.bytes],
  ]);
}

async function epochs(database: Database): Promise<readonly number[]> {
  const rows = await database.query<{ epoch: number }>(
    "SELECT epoch FROM raymond.runs ORDER BY id",
  );
  return rows.map(({ epoch }) => epoch);
}

describe("a run that is dispatched to a worker", () => {
  it("is claimed with its placement and state, settled, and released as ended", async () => {
    const database = await prepared();
    const [store, other] = [storeOn(database), storeOn(database)];

    const claimed = await store.claimQueued("wf-a", 1);

    expect(claimed?.read()).toMatchObject({
      row: { id: "wf-a", home: null, open: true, placement: PLACEMENT },
      run: run({ id: "wf-a", saves: 1, results: { main: `wf-a ${LONG}` } }),
    });
    expect(store.epoch("wf-a")).toBe(claimed?.epoch);
    await expect(other.claimQueued("wf-a", 1)).rejects.toMatchObject({ code: "store/run-locked" });
    await claimed?.settle("here", { stalled: 2, steps: 5 });
    expect(await findPlacement(database, "wf-a")).toMatchObject({
      ...{ home: "here", claims: { stalled: 2, steps: 5 }, open: true },
    });
    await claimed?.close();
    expect(await findPlacement(database, "wf-a")).toMatchObject({ open: false });
    expect(await store.holder("wf-a")).toBeNull();
    expect(store.epoch("wf-a")).toBeNull();
  });

  it("is not claimed if it was requeued, has ended, or does not exist", async () => {
    const database = await prepared();
    const store = storeOn(database);
    const before = await epochs(database);

    expect(await store.claimQueued("wf-a", 2)).toBeNull();
    expect(await store.claimQueued("wf-none", 1)).toBeNull();
    expect(await epochs(database)).toEqual(before);

    await (await store.claimQueued("wf-a", 1))?.close();
    expect(await store.claimQueued("wf-a", 1)).toBeNull();
  });

  it("is not changed by its previous holder after another claim", async () => {
    const database = await prepared();
    const [mine, other] = [storeOn(database), storeOn(database)];
    const claimed = await mine.claimQueued("wf-a", 1);
    await database.query("UPDATE raymond.runs SET holder = NULL");
    await other.claimQueued("wf-a", 1);

    await claimed?.settle("mine", { stalled: 1, steps: 1 });
    await claimed?.close();

    expect(await findPlacement(database, "wf-a")).toMatchObject({ open: true, home: null });
    expect(await mine.holder("wf-a")).not.toBeNull();
  });

  it("is claimed in one batch with others, except those that are held", async () => {
    const database = await prepared();
    const [mine, other] = [storeOn(database), storeOn(database)];
    await other.claimQueued("wf-d", 1);

    const claimed = await Promise.allSettled(
      IDS.map((id) => mine.claimQueued(id, id === "wf-e" ? 9 : 1)),
    );

    const idOf = (each: (typeof claimed)[number]): RunId | null | undefined =>
      each.status === "fulfilled" ? each.value?.read().run?.id : null;
    expect(claimed.map(idOf)).toEqual(["wf-a", "wf-b", "wf-c", null, undefined, "wf-f"]);
    expect(claimed[3]).toMatchObject({ reason: { code: "store/run-locked" } });
  });

  it("is claimed by exactly one of many concurrent workers", async () => {
    const database = await prepared();
    const stores = Array.from({ length: 5 }, () => storeOn(database));

    const claimed = await Promise.allSettled(
      stores.flatMap((store) => IDS.map((id) => store.claimQueued(id, 1))),
    );

    expect(claimed.filter(({ status }) => status === "fulfilled")).toHaveLength(IDS.length);
  });

  it("is claimed with its last saved state, while its previous holder still saves", async () => {
    const database = await prepared();
    const store = storeOn(database);
    const [old] = await database.query<Kept>(KEPT);
    const saved = run({ id: "wf-a", saves: 2, results: { main: `new ${LONG}` } });
    await store.save(saved, 1);
    const [fresh] = await database.query<Kept>(KEPT);
    const dying = await database.connect();
    await put(dying, old);
    await dying.query("BEGIN");
    await put(dying, fresh);

    const taking = store.claimQueued("wf-a", 1);
    const isWaiting = async () => {
      expect(await database.query("SELECT 1 FROM pg_locks WHERE NOT granted")).not.toEqual([]);
    };
    await vi.waitFor(isWaiting, { timeout: 60_000 });
    await dying.query("COMMIT");
    await dying.end();

    expect((await taking)?.read().run).toEqual(saved);
  });

  it.each(["before", "after"] as const)(
    "is claimed, settled and released once, whichever connection is lost %s a statement",
    async (cut: Cut) => {
      const url = await fleetUrl();
      const direct = openedDatabase(url);
      for (let nth = 1; ; nth += 1) {
        await emptyTables(direct);
        await submitted(direct);
        const proxy = await postgresProxy(url);
        const store = storeOn(openedDatabase(proxy.url, { patienceMs: 240_000 }));
        proxy.cut(nth, cut);

        const lives = IDS.map(async (id) => {
          const claimed = await store.claimQueued(id, 1);
          await claimed?.settle("here", { stalled: 0, steps: 0 });
          await store.save(run({ id, saves: 2 }), 1);
          await claimed?.close();
        });
        await Promise.all(lives);

        if (proxy.statements() < nth) break;
        const rows = await direct.query(
          `SELECT DISTINCT version, home, holder, placement->'open' AS open FROM raymond.runs`,
        );
        const over = { version: 2, home: "here", holder: null, open: false };
        expect(rows, `cut ${String(nth)}`).toEqual([over]);
      }
    },
  );
});
