import { describe, expect, it, onTestFinished } from "vitest";
import { startRun } from "../../../src/engine/start.ts";
import type { Database } from "../../../src/fleet/store/database.ts";
import { prepareSchema } from "../../../src/fleet/store/schema.ts";
import { type PostgresStore, postgresStore } from "../../../src/fleet/store/store.ts";
import { advance, type Input } from "../../../src/machine/advance.ts";
import type { RunState } from "../../../src/machine/model/run-state.ts";
import type { JournalRecord } from "../../../src/machine/record/journal.ts";
import { agent } from "../../support/agents.ts";
import { cancelled, world } from "../../support/engine/worlds.ts";
import {
  emptyTables,
  fleetDatabase,
  fleetUrl,
  openedDatabase,
  startTestServer,
} from "../../support/fleet/postgres.ts";
import { type Cut, postgresProxy } from "../../support/fleet/postgres-proxy.ts";
import { cost, output } from "../../support/outcomes.ts";
import { NOON, RunDriver } from "../../support/run-driver.ts";
import { run, settings } from "../../support/runs.ts";

const ID = run().id;
const LONG = "x".repeat(70_000);

/** Longer than any test. */
const PATIENT = { patienceMs: 240_000 };

function storeOn(database: Database): PostgresStore {
  const store = postgresStore(database, "/nowhere");
  onTestFinished(() => store.close());
  return store;
}

/** The saves of a short run: a step in flight, and its end with its cost and a long text. */
function life(): readonly (readonly [JournalRecord, RunState])[] {
  const start = { ...new RunDriver(run({ agents: [agent()] })).start().run, saves: 1 };
  const ended: Input = {
    ...{ type: "ended", agent: "main", process: 1, at: NOON, dice: 0.5 },
    ...{ outcome: output("nothing", { spend: cost(250_000) }), decision: { kind: "cancelled" } },
  };
  const [end] = advance(start, ended);
  const last = { ...end, saves: 2, results: { main: LONG } };
  const record = { updatedAt: start.updatedAt };
  return [
    [{ ...record, save: 1, from: { kind: "resumed", run: start }, inputs: [] }, start],
    [{ ...record, save: 2, from: null, inputs: [ended] }, last],
  ];
}

/** Claims the run, saves it, and releases it. */
async function live(store: PostgresStore): Promise<void> {
  const lock = await store.lock(ID);
  for (const [record, saved] of life()) {
    store.journal(ID).append(record, saved);
    await store.save(saved, saved.saves - 1);
  }
  expect((await store.load(ID))?.saves).toBe(2);
  await lock.release();
}

/** The stored parts of the run. */
async function found(database: Database) {
  const [row] = await database.query(
    `SELECT (SELECT count(*) FROM raymond.journal) AS journal, (SELECT count(*) FROM raymond.payloads) AS texts,
       (SELECT coalesce(sum(micro_usd), 0)::bigint FROM raymond.ledger) AS paid,
       (SELECT version FROM raymond.runs WHERE state IS NOT NULL) AS version`,
  );
  return row;
}

const PARTS = [
  { version: null, journal: 0, texts: 0, paid: 0 },
  { version: 1, journal: 1, texts: 0, paid: 0 },
  { version: 2, journal: 2, texts: 1, paid: 250_000 },
] as const;

describe("a run in PostgreSQL", () => {
  it.each(["before", "after"] as const)(
    "is saved once, whichever connection is lost %s a statement",
    async (cut: Cut) => {
      const url = await fleetUrl();
      const direct = openedDatabase(url);
      for (let nth = 1; ; nth += 1) {
        await emptyTables(direct);
        const proxy = await postgresProxy(url);
        const store = storeOn(openedDatabase(proxy.url, PATIENT));
        proxy.cut(nth, cut);

        await live(store);

        if (proxy.statements() < nth) break;
        expect(await found(direct), `cut ${String(nth)}`).toEqual(PARTS[2]);
        expect(await storeOn(direct).holder(ID)).toBeNull();
      }
    },
  );

  it.each(["before", "after"] as const)(
    "has one consistent save, and resumes, when its process dies %s a statement",
    async (cut: Cut) => {
      const url = await fleetUrl();
      const database = openedDatabase(url);
      for (let nth = 1; ; nth += 1) {
        await emptyTables(database);
        const proxy = await postgresProxy(url);
        const dying = storeOn(openedDatabase(proxy.url));
        proxy.cut(nth, cut);
        const end = await live(dying).catch((error: unknown) => error);
        if (end === undefined) break;
        expect(end).toMatchObject({ code: "fleet/away" });

        expect(PARTS, `cut ${String(nth)}`).toContainEqual(await found(database));
        await database.query("DELETE FROM raymond.holders");
        const next = storeOn(database);
        await next.lock(ID);
        const saves = (await next.load(ID))?.saves ?? 0;
        await next.save(run({ saves: saves + 1 }), saves);

        // Queries of the dead process that are still in flight come too late.
        await expect(dying.save(run({ saves: saves + 1 }), saves)).rejects.toMatchObject({
          code: "store/run-taken",
        });
        expect((await next.load(ID))?.saves).toBe(saves + 1);
      }
    },
  );

  it("loses no save, and duplicates none, while the database is killed repeatedly", async () => {
    const server = await startTestServer({ durable: true });
    onTestFinished(() => server.end());
    const database = openedDatabase(server.url, PATIENT);
    await prepareSchema(database);
    const store = storeOn(database);
    await store.lock(ID);
    const saves = async () => {
      for (let save = 1; save <= 60; save += 1) {
        const saved = run({ saves: save, steps: save });
        const from = save === 1 ? ({ kind: "resumed", run: saved } as const) : null;
        store.journal(ID).append({ save, updatedAt: "", from, inputs: [] }, saved);
        await store.save(saved, save - 1);
        last = save;
        reached();
      }
    };
    let last = 0;
    let reached: () => void = () => undefined;
    const restarts = async () => {
      for (const wanted of [20, 40]) {
        await new Promise<void>((resolve) => {
          reached = () => {
            if (last >= wanted) resolve();
          };
          // It may have passed that point.
          reached();
        });
        await server.stop("at once");
        await server.start();
      }
    };

    await Promise.all([restarts(), saves()]);

    expect(await store.load(ID)).toMatchObject({ saves: 60, steps: 60 });
    const recorded = await database.query<{ save: number }>(
      "SELECT save FROM raymond.journal ORDER BY id",
    );
    expect(recorded.map(({ save }) => save)).toEqual(Array.from({ length: 60 }, (_, at) => at + 1));
  });

  it("survives a deadlock", async () => {
    const database = await fleetDatabase();
    await database.query("INSERT INTO raymond.accounts (name, slots) VALUES ('a', 0), ('b', 0)");
    let meeting = 0;
    let met: () => void = () => undefined;
    const both = new Promise<void>((resolve) => (met = resolve));
    const raise = (one: string, other: string) =>
      database.transaction(async (on) => {
        await on.query("SET LOCAL deadlock_timeout = '20ms'");
        await on.query("UPDATE raymond.accounts SET slots = slots + 1 WHERE name = $1", [one]);
        meeting += 1;
        if (meeting === 2) met();
        await both;
        await on.query("UPDATE raymond.accounts SET slots = slots + 1 WHERE name = $1", [other]);
      });

    await Promise.all([raise("a", "b"), raise("b", "a")]);

    expect(await database.query("SELECT DISTINCT slots FROM raymond.accounts")).toEqual([
      { slots: 2 },
    ]);
    expect(meeting).toBeGreaterThan(2);
  });

  it("terminates its processes after another claim, and saves nothing more", async () => {
    const database = await fleetDatabase();
    const [mine, other] = [storeOn(database), storeOn(database)];
    let ended = false;
    let proceed: () => void = () => undefined;
    const proceeded = new Promise<void>((resolve) => (proceed = resolve));
    const here = world(
      {
        "START.md": '<fork next="NEXT">WORKER</fork>',
        "WORKER.md": async (_, cancellation) => {
          await cancelled(cancellation);
          ended = true;
          return output("<result>too late</result>");
        },
        "NEXT.md": async () => {
          await database.query("UPDATE raymond.runs SET holder = NULL");
          await other.lock(ID);
          proceed();
          return output("<result>done</result>");
        },
      },
      { store: mine },
    );
    await mine.lock(ID);
    const options = {
      ...{ id: ID, token: "t0", backend: "claude", input: null, at: 0, attributes: {} },
      workflow: { kind: "folder", path: "/repo/workflow", entry: "START.md" },
      ...{ scopeDir: "/repo/workflow", launchDir: "/repo", settings: settings() },
    } as const;

    const running = startRun(options, here.engine, here.control);

    await expect(running).rejects.toMatchObject({
      code: "store/run-taken",
      message: expect.stringContaining("has taken over run") as string,
    });
    await proceeded;
    expect(ended).toBe(true);
    expect((await other.load(ID))?.agents.map(({ id }) => id)).toEqual(["main", "main_worker1"]);
  });
});
