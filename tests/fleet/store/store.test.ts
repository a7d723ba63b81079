import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { type Database, openDatabase } from "../../../src/fleet/store/database.ts";
import { tableJournal } from "../../../src/fleet/store/journal.ts";
import { Saver, saveWriter } from "../../../src/fleet/store/saver.ts";
import { LIST, type PostgresStore, postgresStore } from "../../../src/fleet/store/store.ts";
import { advance, type Input } from "../../../src/machine/advance.ts";
import { readJournal, replayJournal } from "../../../src/machine/record/journal.ts";
import { recordsOfRun } from "../../contracts/journal.ts";
import { describeStore } from "../../contracts/store.ts";
import { agent } from "../../support/agents.ts";
import { emptyTables, fleetUrl } from "../../support/fleet/postgres.ts";
import { cost, output } from "../../support/outcomes.ts";
import { NOON, RunDriver } from "../../support/run-driver.ts";
import { run } from "../../support/runs.ts";

const ID = run().id;
const LONG = "x".repeat(70_000);

interface Place {
  readonly database: Database;
  readonly root: string;
}

/** One database for all tests, emptied for each, because a new one takes longer. */
let database: Database | null = null;
const roots: string[] = [];
const stores: PostgresStore[] = [];

async function newPlace(): Promise<Place> {
  database ??= openDatabase(await fleetUrl());
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await emptyTables(database);
  const root = await mkdtemp(path.join(tmpdir(), "raymond-store-"));
  roots.push(root);
  return { database, root };
}

function openAt({ database, root }: Place, holder?: number): PostgresStore {
  const store = postgresStore(database, root, { holder });
  stores.push(store);
  return store;
}

/** A holder whose last heartbeat was that long ago, with or without a connection that has its lock. */
async function silentHolder({ database }: Place, silence: string, ttl = "30 s", lives = true) {
  const key = Math.floor(Math.random() * 2 ** 40);
  const client = await database.connect();
  onTestFinished(() => client.end());
  if (lives) await client.query("SELECT pg_advisory_lock($1)", [key]);
  const [row] = await database.query<{ id: number }>(
    `INSERT INTO raymond.holders (lock_key, host, pid, identity, place, heartbeat_at)
     VALUES ($1, 'elsewhere', 4711, '', jsonb_build_object('ttlMs', extract(epoch FROM $2::interval) * 1000),
       clock_timestamp() - $3::interval) RETURNING id`,
    [key, ttl, silence],
  );
  return row?.id;
}

afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await database?.close();
  for (const root of roots) await rm(root, { recursive: true, force: true });
});

describeStore("postgresStore", newPlace, (place) => openAt(place));

describe("postgresStore", () => {
  it("does not save a run that another process has claimed, whatever it has missed", async () => {
    const place = await newPlace();
    const [one, other] = [openAt(place, await silentHolder(place, "31 s")), openAt(place)];
    await one.lock(ID);
    await one.save(run({ saves: 1 }), 0);

    const lock = await other.lock(ID);

    expect(other.epoch(ID)).toBeGreaterThan(one.epoch(ID) ?? 0);
    const refused = { code: "store/run-taken", message: expect.stringContaining(ID) as string };
    await expect(one.save(run({ saves: 2 }), 1)).rejects.toMatchObject(refused);
    await other.save(run({ saves: 2, steps: 7 }), 1);
    await lock.release();
    await other.remove(ID);
    await expect(one.save(run({ saves: 2 }), 1)).rejects.toMatchObject(refused);
    expect(await other.load(ID)).toBeUndefined();
  });

  it.each([
    ["59 min", "1 h", "lives", "", "refused"],
    ["61 min", "1 h", "lives", "", "claimed"],
    ["61 min", "1 h", "is gone", "", "claimed"],
    // It may reconnect: its heartbeat is not overdue.
    ["1 s", "1 h", "is gone", "", "refused"],
    ["150 ms", "300 ms", "is gone", "", "claimed"],
    // The database started after that, so no process could send a heartbeat.
    ["59 min", "1 h", "is gone", "", "refused"],
    ["59 min", "1 h", "lives", "and a user forces the takeover", "claimed"],
    ["1 s", "1 h", "lives", "and a user forces the takeover", "refused"],
  ])(
    "of a holder that was silent for %s of %s, whose connection %s, %s, the run is %s",
    async (silence, ttl, connection, word, outcome) => {
      const place = await newPlace();
      const holder = await silentHolder(place, silence, ttl, connection === "lives");
      await openAt(place, holder).lock(ID);
      const other = openAt(place);

      const claim = other.lock(ID, { takeOver: word !== "" });

      if (outcome === "claimed") await claim;
      else await expect(claim).rejects.toMatchObject({ code: "store/run-locked" });
    },
  );

  it("stores a long text as long as it is needed, and reports a missing one", async () => {
    const place = await newPlace();
    const store = openAt(place);
    const files = () => place.database.query<{ file: string }>("SELECT file FROM raymond.payloads");
    await store.save(run({ results: { main: LONG } }), 0);
    expect(await files()).toHaveLength(1);
    expect(await openAt(place).load(ID)).toEqual(run({ results: { main: LONG } }));

    await store.save(run({ results: { main: "short" } }), 0);
    expect(await files()).toEqual([]);

    await openAt(place).save(run({ results: { main: LONG } }), 0);
    await place.database.query("DELETE FROM raymond.payloads");
    await expect(store.load(ID)).rejects.toMatchObject({ code: "store/damaged-state" });
  });

  it("stores journal records with their saves", async () => {
    const { records, end } = await recordsOfRun();
    const place = await newPlace();
    const store = openAt(place);
    for (const [record, saved] of records) {
      store.journal(end.id).append(record, saved);
      await store.save(saved, saved.saves - 1);
    }

    const rows = await place.database.query<{ record: string }>(
      "SELECT record FROM raymond.journal ORDER BY id",
    );
    const stored = readJournal(rows.map(({ record }) => `${record}\n`).join(""));
    expect(replayJournal(stored, end.saves)).toEqual({ ok: true, run: end });
  });

  it("keeps the end of a long journal, which contains the last state", async () => {
    const place = await newPlace();
    const journal = tableJournal(5_000);
    const claim = { epoch: () => null, snapshot: () => null };
    const saving = new Saver(claim, journal, saveWriter(place.database));
    const initial = run({ saves: 0 });
    let last = initial;
    for (let save = 1; save <= 200; save += 1) {
      last = { ...last, saves: save };
      const from = save === 1 ? ({ kind: "resumed", run: initial } as const) : null;
      const { updatedAt } = last;
      journal.append({ save, updatedAt, from, inputs: [] }, last);
      await saving.save(last, save - 1);
    }

    const rows = await place.database.query<{ record: string }>(
      "SELECT record FROM raymond.journal ORDER BY id",
    );
    const text = rows.map(({ record }) => `${record}\n`).join("");
    expect(text.length).toBeLessThan(3 * 5_000);
    expect(replayJournal(readJournal(text), 200)).toEqual({ ok: true, run: last });
  });

  it("counts the cost of a step once, with its save, also for its account and day", async () => {
    const place = await newPlace();
    const store = openAt(place);
    const driven = new RunDriver(run({ agents: [agent()] })).start();
    const started = { ...driven.run, saves: 1 };
    await store.save(started, 0);
    await place.database.query("UPDATE raymond.runs SET account = 'team'");
    const decision = { kind: "cancelled" } as const;
    const inputs: readonly Input[] = [
      {
        ...{ type: "ended", agent: "main", process: 1, at: NOON, dice: 0.5 },
        ...{ outcome: output("nothing", { spend: cost(250_000) }), decision },
      },
    ];
    const ended = inputs.reduce((now, input) => advance(now, input)[0], started);
    const journal = store.journal(ID);
    journal.append(
      { save: 1, updatedAt: "", from: { kind: "resumed", run: started }, inputs: [] },
      started,
    );
    journal.append({ save: 2, updatedAt: "", from: null, inputs }, ended);
    await expect(store.save({ ...ended, saves: 2 }, 9)).rejects.toMatchObject({
      code: "store/run-taken",
    });
    const spent = () =>
      place.database.query(
        "SELECT agent, process, l.micro_usd, d.micro_usd AS day FROM raymond.ledger l JOIN raymond.account_days d USING (account)",
      );
    expect(await spent()).toEqual([]);

    await store.save({ ...ended, saves: 2 }, 1);
    await store.save({ ...ended, saves: 3 }, 2);

    const paid = { agent: "main", process: 1, micro_usd: 250_000, day: 250_000 };
    expect(await spent()).toEqual([paid]);
  });

  it("lists 100,000 runs by the index of their start times", async () => {
    const { database } = await newPlace();
    await database.query(
      `INSERT INTO raymond.runs (id, version, status, workflow, simulated, cost_micro_usd, steps, agents, started_at, updated_at, state)
       SELECT 'wf-' || n, 1, 'completed', '/w', false, 0, 1, 1, to_char(n, 'FM000000'), '', '{}'
       FROM generate_series(1, 100000) AS n`,
    );
    await database.query("ANALYZE raymond.runs");

    const plan = await database.query<{ "QUERY PLAN": string }>(
      `EXPLAIN ${LIST.replace("$1", "'050000'").replace("$2", "'wf-50000'").replace("$3", "1000")}`,
    );

    const text = plan.map((row) => row["QUERY PLAN"]).join("\n");
    expect(text).toContain("Index Scan using runs_started");
    expect(text).not.toContain("Seq Scan on runs");
  });
});
