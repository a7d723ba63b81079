import { describe, expect, it } from "vitest";
import { MIGRATIONS, SCHEMA_VERSION } from "../../../src/fleet/store/migrations.ts";
import { prepareSchema, requireSchema } from "../../../src/fleet/store/schema.ts";
import { emptyDatabaseUrl, fleetDatabase, openedDatabase } from "../../support/fleet/postgres.ts";

const NEXT = {
  version: SCHEMA_VERSION + 1,
  about: "a test",
  sql: "ALTER TABLE raymond.runs ADD COLUMN tried text",
};

const empty = async () => openedDatabase(await emptyDatabaseUrl());

describe("the tables of a fleet", () => {
  it("are created once and then left unchanged", async () => {
    const database = await empty();
    await expect(requireSchema(database)).rejects.toMatchObject({ code: "fleet/no-schema" });

    expect(await prepareSchema(database)).toEqual({ from: 0, to: SCHEMA_VERSION });
    await requireSchema(database);
    await requireSchema(await fleetDatabase());
    await database.query("INSERT INTO raymond.accounts (name) VALUES ('kept')");
    expect(await prepareSchema(database)).toEqual({ from: SCHEMA_VERSION, to: SCHEMA_VERSION });

    expect(await database.query("SELECT name FROM raymond.accounts")).toEqual([{ name: "kept" }]);
  });

  it("are created once by concurrent calls", async () => {
    const database = await empty();

    const done = await Promise.all([1, 2, 3, 4].map(() => prepareSchema(database)));

    expect(done.map(({ from }) => from).sort()).toEqual([
      0,
      ...[1, 2, 3].map(() => SCHEMA_VERSION),
    ]);
  });

  it("are migrated once a newer raymond requires it, and then refused by the older one", async () => {
    const database = await empty();
    await prepareSchema(database);
    await expect(requireSchema(database, NEXT.version)).rejects.toMatchObject({
      code: "fleet/older-schema",
      hint: expect.stringContaining("raymond fleet init") as string,
    });

    const done = await prepareSchema(database, [...MIGRATIONS, NEXT]);

    expect(done).toEqual({ from: SCHEMA_VERSION, to: NEXT.version });
    await database.query("SELECT tried FROM raymond.runs");
    await requireSchema(database, NEXT.version);
    for (const call of [() => requireSchema(database), () => prepareSchema(database)]) {
      await expect(call()).rejects.toMatchObject({
        code: "fleet/newer-schema",
        hint: expect.stringContaining("Update raymond") as string,
      });
    }
  });

  it("stay unchanged when a migration fails halfway", async () => {
    const database = await empty();
    const broken = { ...NEXT, sql: `${NEXT.sql}; SELECT 1/0` };

    await expect(prepareSchema(database, [...MIGRATIONS, broken])).rejects.toThrow("zero");

    await expect(requireSchema(database)).rejects.toMatchObject({ code: "fleet/no-schema" });
    await prepareSchema(database);
  });
});
