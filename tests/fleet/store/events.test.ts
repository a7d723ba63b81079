import { describe, expect, it } from "vitest";
import type { Queries } from "../../../src/fleet/store/database.ts";
import { eventsAfter, eventWriter } from "../../../src/fleet/store/events.ts";
import { fleetDatabase } from "../../support/fleet/postgres.ts";

const never = (error: unknown) => {
  throw error;
};

/** A database with runs of these names, and how many statements were asked of it. */
async function counted(...runs: readonly string[]) {
  const database = await fleetDatabase();
  await database.query("INSERT INTO raymond.runs (id) SELECT unnest($1::text[])", [runs]);
  const statements: unknown[] = [];
  const on: Queries = {
    query: (statement, values) => {
      statements.push(statement);
      return database.query(statement, values);
    },
  };
  const linesOf = async (run: string) =>
    (await eventsAfter(database, run, 0)).map(({ line }) => line);
  return { on, statements, linesOf };
}

describe("the events of a worker's runs", () => {
  it("are written in batches, however many runs log them", async () => {
    const runs = Array.from({ length: 100 }, (_, at) => `run-${String(at)}`);
    const { on, statements, linesOf } = await counted(...runs);
    const writer = eventWriter(on);
    for (const seq of [1, 2, 3]) {
      for (const run of runs) writer.add(run, { seq, line: `${run} ${String(seq)}` }, never);
    }
    await Promise.all(runs.map((run) => writer.settled(run)));
    expect(statements).toHaveLength(1);
    expect(await linesOf("run-7")).toEqual(["run-7 1", "run-7 2", "run-7 3"]);
  });

  it("are kept when one of the runs was deleted, and only that run reports a failure", async () => {
    const { on, linesOf } = await counted("stays");
    const writer = eventWriter(on);
    const failures: unknown[] = [];
    writer.add("stays", { seq: 1, line: "a" }, never);
    writer.add("gone", { seq: 1, line: "b" }, (error) => failures.push(error));
    await Promise.all([writer.settled("stays"), writer.settled("gone")]);
    expect(await linesOf("stays")).toEqual(["a"]);
    expect(failures).toHaveLength(1);
  });
});
