import { expect, it } from "vitest";
import { beginsLater } from "../../../src/stores/postgres/begins-later.ts";
import { fleetDatabase } from "../../support/postgres.ts";

it("tells when a run begins that was submitted for later, until it is time or somebody has it", async () => {
  const database = await fleetDatabase();
  const later = Date.UTC(2999, 0, 2, 3, 4, 5);
  const add = (id: string, home: string | null, at: number | null) =>
    database.query("INSERT INTO raymond.runs (id, home, placement) VALUES ($1, $2, $3)", [
      ...[id, home],
      JSON.stringify({ open: true, at }),
    ]);
  await add("later", null, later);
  await add("due", null, 1);
  await add("soon", null, null);
  await add("taken", "m1", later);

  expect(await beginsLater(database, "later")).toEqual([
    { agent: null, message: "begins at 2999-01-02T03:04:05.000Z" },
  ]);
  for (const id of ["due", "soon", "taken"]) expect(await beginsLater(database, id)).toEqual([]);
});
