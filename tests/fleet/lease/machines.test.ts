import { describe, expect, it } from "vitest";
import { DEAD_MACHINES, deadMachines } from "../../../src/fleet/lease/machines.ts";
import type { Database } from "../../../src/fleet/store/database.ts";
import { fleetDatabase } from "../../support/fleet/postgres.ts";

/** Adds runs with these homes. */
async function homed(database: Database, runs: number, ...homes: readonly string[]): Promise<void> {
  await database.query(
    `INSERT INTO raymond.runs (id, home, status) SELECT home || '-' || n, home, 'waiting'
       FROM generate_series(1, $1::int) AS n, unnest($2::text[]) AS home`,
    [runs, homes],
  );
  await database.query("ANALYZE raymond.runs");
}

/** Adds a worker whose last heartbeat was that long ago. */
async function addWorker(database: Database, machine: string, silence: string): Promise<void> {
  await database.query(
    `INSERT INTO raymond.holders (lock_key, machine, host, pid, identity, place, heartbeat_at)
     VALUES (hashtext($1 || $2), $1, 'h', 1, '', '{}', clock_timestamp() - $2::text::interval)`,
    [machine, silence],
  );
}

describe("dead machines", () => {
  it("are homes of runs without a live worker, except this machine", async () => {
    const database = await fleetDatabase();
    await homed(database, 3, "me", "well", "gone", "unknown");
    await addWorker(database, "me", "1 h");
    await addWorker(database, "well", "1 s");
    await addWorker(database, "gone", "2 h");
    await addWorker(database, "gone", "1 h");
    await database.query("UPDATE raymond.runs SET status = 'completed' WHERE home = 'me'");
    await homed(database, 1, "over");
    await database.query("UPDATE raymond.runs SET status = 'completed' WHERE home = 'over'");

    const found = await deadMachines(database, "me");

    expect(found.map(({ id }) => id).toSorted()).toEqual(["gone", "unknown"]);
    const gone = found.find(({ id }) => id === "gone");
    expect(gone?.lives).toBe(false);
    expect(Math.round((gone?.silentMs ?? 0) / 60_000)).toBe(60);
    expect(found.find(({ id }) => id === "unknown")?.silentMs).toBeNull();
  });

  it("are found with one index scan per machine, however many runs it has", async () => {
    const database = await fleetDatabase();
    await homed(database, 5_000, "one", "other");

    const plan = await database.query<{ "QUERY PLAN": string }>(
      `EXPLAIN ANALYZE ${DEAD_MACHINES.replace("$1", "'me'")}`,
    );

    const text = plan.map((row) => row["QUERY PLAN"]).join("\n");
    expect(text.match(/Index (?:Only )?Scan using runs_home/g)).toHaveLength(2);
    expect(text).not.toMatch(/(?:Seq|Bitmap Heap) Scan on runs/);
    expect((await deadMachines(database, "one")).map(({ id }) => id)).toEqual(["other"]);
  });
});
