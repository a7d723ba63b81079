import { describe, expect, it } from "vitest";
import { MIGRATIONS, SCHEMA_VERSION } from "../../../src/stores/postgres/migrations.ts";
import { prepareSchema, requireSchema } from "../../../src/stores/postgres/schema.ts";
import { emptyDatabaseUrl, fleetDatabase, openedDatabase } from "../../support/postgres.ts";

const NEXT = {
  version: SCHEMA_VERSION + 1,
  about: "a test",
  sql: "ALTER TABLE raymond.runs ADD COLUMN tried text",
};

const empty = async () => openedDatabase(await emptyDatabaseUrl());

describe("the tables of a fleet", () => {
  it("are made once, and left alone from then on", async () => {
    const database = await empty();
    await expect(requireSchema(database)).rejects.toMatchObject({ code: "fleet/no-schema" });

    expect(await prepareSchema(database)).toEqual({ from: 0, to: SCHEMA_VERSION });
    await requireSchema(database);
    await requireSchema(await fleetDatabase());
    await database.query("INSERT INTO raymond.accounts (name) VALUES ('kept')");
    expect(await prepareSchema(database)).toEqual({ from: SCHEMA_VERSION, to: SCHEMA_VERSION });

    expect(await database.query("SELECT name FROM raymond.accounts")).toEqual([{ name: "kept" }]);
  });

  it("are made once also where many prepare them together", async () => {
    const database = await empty();

    const done = await Promise.all([1, 2, 3, 4].map(() => prepareSchema(database)));

    expect(done.map(({ from }) => from).sort()).toEqual([
      0,
      ...[1, 2, 3].map(() => SCHEMA_VERSION),
    ]);
  });

  it("are brought up to date by a newer raymond, and then refused by the older one", async () => {
    const database = await empty();
    await prepareSchema(database);

    const done = await prepareSchema(database, [...MIGRATIONS, NEXT]);

    expect(done).toEqual({ from: SCHEMA_VERSION, to: SCHEMA_VERSION + 1 });
    await database.query("SELECT tried FROM raymond.runs");
    for (const asked of [requireSchema, prepareSchema]) {
      await expect(asked(database)).rejects.toMatchObject({
        code: "fleet/newer-schema",
        hint: expect.stringContaining("Update raymond") as string,
      });
    }
  });

  it("of an older raymond are refused, with the command that mends it", async () => {
    const database = await empty();
    await prepareSchema(database);
    await database.query(
      "DELETE FROM raymond.migrations WHERE version = (SELECT max(version) FROM raymond.migrations)",
    );

    await expect(requireSchema(database)).rejects.toMatchObject({
      code: "fleet/older-schema",
      hint: expect.stringContaining("raymond fleet init") as string,
    });
  });

  it("stay as they were where a change of them fails in its middle", async () => {
    const database = await empty();
    const broken = { ...NEXT, sql: `${NEXT.sql}; SELECT 1/0` };

    await expect(prepareSchema(database, [...MIGRATIONS, broken])).rejects.toThrow("zero");

    await expect(requireSchema(database)).rejects.toMatchObject({ code: "fleet/no-schema" });
    await prepareSchema(database);
  });
});
