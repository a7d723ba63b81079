import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Database, Prepared } from "../../../src/fleet/store/database.ts";
import { type PostgresStore, postgresStore } from "../../../src/fleet/store/store.ts";
import type { RunId, RunState } from "../../../src/machine/model/run-state.ts";
import {
  emptyTables,
  fleetDatabase,
  fleetUrl,
  openedDatabase,
} from "../../support/fleet/postgres.ts";
import { type Cut, postgresProxy } from "../../support/fleet/postgres-proxy.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { run } from "../../support/runs.ts";

const LONG = "x".repeat(70_000);
/** The first two are saved alone, the others in one batch. */
const IDS = ["a", "b", "c", "d", "e", "f"].map((name) => `wf-${name}`);

function storeOn(database: Database): PostgresStore {
  const store = postgresStore(database, "/nowhere");
  onTestFinished(() => store.close());
  return store;
}

/** Saves the run with its journal record; a save based on another state has none. */
async function save(store: PostgresStore, state: RunState, expected = state.saves - 1) {
  const { id, saves } = state;
  const from = saves === 1 ? ({ kind: "resumed", run: state } as const) : null;
  const record = { save: saves, updatedAt: "", from, inputs: [] };
  if (expected === saves - 1) store.journal(id).append(record, state);
  await store.save(state, expected);
}

const revision = (id: RunId, saves: number, results = {}) => run({ id, saves, results });

/** Saves all concurrently. Resolves with the result of each. */
async function saveAll(store: PostgresStore, states: readonly RunState[]) {
  const settled = await Promise.allSettled(states.map((state) => save(store, state)));
  return settled.map((each) => (each.status === "fulfilled" ? "saved" : codeOf(each.reason)));
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return typeof code === "string" ? code : "failed";
}

/** The stored parts of each run. */
function found(database: Database) {
  return database.query<{ id: RunId; version: number; records: number; texts: number }>(
    `SELECT id, version, (SELECT count(*) FROM raymond.journal WHERE run = r.id) AS records,
       (SELECT count(*) FROM raymond.payloads WHERE run = r.id) AS texts
     FROM raymond.runs r ORDER BY id`,
  );
}

const all = (version: number, records = version) =>
  IDS.map((id) => ({ id, version, records, texts: 0 }));

/** A database that counts the statements that save. */
function counted(database: Database): {
  readonly database: Database;
  readonly saves: () => number;
} {
  let saves = 0;
  const run: Database["run"] = (work) =>
    database.run((on) =>
      work({
        query: (statement: string | Prepared, values) => {
          if (typeof statement !== "string") saves += 1;
          return on.query(statement, values);
        },
      }),
    );
  return {
    database: {
      ...{ address: database.address, run },
      query: (statement, values) => database.query(statement, values),
      transaction: (work) => database.transaction(work),
      connect: (prepare) => database.connect(prepare),
      close: () => database.close(),
    },
    saves: () => saves,
  };
}

describe("runs that are saved at the same time", () => {
  it("are saved by one statement, except the first two", async () => {
    const { database, saves } = counted(await fleetDatabase());
    const store = storeOn(database);
    for (const id of IDS) await store.lock(id);

    const before = saves();
    await saveAll(
      store,
      IDS.map((id) => revision(id, 1)),
    );

    expect(saves() - before).toBe(3);
    expect(await found(database)).toEqual(all(1));
  });

  it("are saved, except one that another process has claimed", async () => {
    const database = await fleetDatabase();
    const [mine, other] = [storeOn(database), storeOn(database)];
    for (const id of IDS) await mine.lock(id);
    await database.query("UPDATE raymond.runs SET holder = NULL WHERE id = 'wf-d'");
    await other.lock("wf-d");

    const ended = await saveAll(
      mine,
      IDS.map((id) => revision(id, 1)),
    );

    expect(ended).toEqual(["saved", "saved", "saved", "store/run-taken", "saved", "saved"]);
    await save(other, revision("wf-d", 1));
    expect(await found(database)).toEqual(all(1));
  });

  it("are saved, except one that was deleted, which is not created again", async () => {
    const database = await fleetDatabase();
    const store = storeOn(database);
    for (const id of IDS) await store.lock(id);
    await database.query("DELETE FROM raymond.runs WHERE id = 'wf-d'");

    const ended = await saveAll(
      store,
      IDS.map((id) => revision(id, 1)),
    );

    expect(ended).toEqual(["saved", "saved", "saved", "store/run-taken", "saved", "saved"]);
    expect(await found(database)).toEqual(all(1).filter(({ id }) => id !== "wf-d"));
  });

  it("are saved, except one that the database refuses", async () => {
    const database = await fleetDatabase();
    const store = storeOn(database);
    await database.query("ALTER TABLE raymond.runs ADD CHECK (id <> 'wf-d' OR version = 0)");
    for (const id of IDS) await store.lock(id);

    const ended = await saveAll(
      store,
      IDS.map((id) => revision(id, 1)),
    );

    expect(ended).toEqual(["saved", "saved", "saved", "23514", "saved", "saved"]);
  });

  it("do not wait for one with a locked row", async () => {
    const database = await fleetDatabase();
    const store = storeOn(database);
    for (const id of IDS) await store.lock(id);
    const held = await database.connect();
    await held.query("BEGIN; SELECT 1 FROM raymond.runs WHERE id = 'wf-d' FOR UPDATE");
    const ended: RunId[] = [];
    const saving = IDS.map(async (id) => {
      await save(store, revision(id, 1));
      ended.push(id);
    });
    const others = saving.filter((_, at) => IDS[at] !== "wf-d");

    await Promise.all(others);
    expect(ended).not.toContain("wf-d");
    await held.end();
    await Promise.all(saving);

    expect(await found(database)).toEqual(all(1));
  });

  it.each(["before", "after"] as const)(
    "are saved once, whichever connection is lost %s a statement",
    async (cut: Cut) => {
      const url = await fleetUrl();
      const direct = openedDatabase(url);
      for (let nth = 1; ; nth += 1) {
        await emptyTables(direct);
        const proxy = await postgresProxy(url);
        const store = storeOn(openedDatabase(proxy.url, { patienceMs: 240_000 }));
        for (const id of IDS) await store.lock(id);
        proxy.cut(nth, cut);

        for (const saves of [1, 2]) {
          const ended = await saveAll(
            store,
            IDS.map((id) => revision(id, saves)),
          );
          expect(new Set(ended), `cut ${String(nth)}`).toEqual(new Set(["saved"]));
        }

        if (proxy.statements() < nth) break;
        expect(await found(direct), `cut ${String(nth)}`).toEqual(all(2));
      }
    },
  );

  it.each(["before", "after"] as const)(
    "continue from a save that was committed, or was not, when the database went away %s a statement",
    async (cut: Cut) => {
      const url = await fleetUrl();
      const direct = openedDatabase(url);
      for (let nth = 1; ; nth += 1) {
        await emptyTables(direct);
        const proxy = await postgresProxy(url);
        const store = storeOn(openedDatabase(proxy.url));
        for (const id of IDS) await store.lock(id);
        proxy.cut(nth, cut);
        const first = await saveAll(
          store,
          IDS.map((id) => revision(id, 1)),
        );
        if (proxy.statements() < nth) break;
        expect(new Set(first)).toEqual(new Set(["saved", "fleet/away"]));

        // A process whose save failed bases the next save on the same state.
        const saved = IDS.map(async (id, at) => {
          if (first[at] !== "saved") await store.save(revision(id, 1), 0);
          await save(store, revision(id, 2));
        });
        await Promise.all(saved);

        expect((await found(direct)).map(({ version }) => version)).toEqual(IDS.map(() => 2));
      }
    },
  );

  it("have the same result as serial saves, whatever is saved", async () => {
    const database = await fleetDatabase();
    const kinds = fc.array(fc.constantFrom("next", "next", "long", "stale"), { maxLength: 4 });
    const scene = fc.record({
      lives: fc.array(kinds, { minLength: IDS.length, maxLength: IDS.length }),
      claimed: fc.subarray(IDS, { maxLength: 2 }),
      unheld: fc.subarray(IDS, { maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(scene, async ({ lives, claimed, unheld }) => {
        const play = async (atOnce: boolean) => {
          await emptyTables(database);
          const [mine, other] = [storeOn(database), storeOn(database)];
          for (const id of IDS) if (!unheld.includes(id)) await mine.lock(id);
          await database.query("UPDATE raymond.runs SET holder = NULL");
          for (const id of claimed) await other.lock(id);
          const ended: (readonly string[])[] = [];
          const running: Promise<unknown>[] = [];
          for (const [at, life] of lives.entries()) {
            const living = liveAs(mine, IDS[at] ?? "", life).then((codes) => (ended[at] = codes));
            if (!atOnce) await living;
            running.push(living);
          }
          await Promise.all(running);
          const rows = await found(database);
          await Promise.all([mine.close(), other.close()]);
          return { ended, rows };
        };

        expect(await play(true)).toEqual(await play(false));
      }),
      { numRuns: propertyRuns(10) },
    );
  });
});

/** Saves the run repeatedly, in these ways. Resolves with the result of each save. */
async function liveAs(store: PostgresStore, id: RunId, kinds: readonly string[]) {
  const codes: string[] = [];
  let saves = 0;
  for (const kind of kinds) {
    if (kind !== "stale") saves += 1;
    const state = revision(id, saves, kind === "long" ? { main: LONG } : {});
    const saving = save(store, state, kind === "stale" ? 99 : saves - 1);
    codes.push(await saving.then(() => "saved", codeOf));
  }
  return codes;
}
