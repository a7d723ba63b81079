import { describe, expect, it } from "vitest";
import { heldAtHome } from "../../../src/stores/postgres/held-at-home.ts";
import { fleetDatabase } from "../../support/postgres.ts";

describe("what keeps a run at its home", () => {
  it("is told of one whose home is at work, and only where it was to travel", async () => {
    const database = await fleetDatabase();
    await database.query(
      `WITH h AS (INSERT INTO raymond.holders (lock_key, machine, host, pid, identity, place)
         VALUES (1, 'm1', 'h', 1, 'i', '{}') RETURNING id)
       INSERT INTO raymond.machines (id, holder) SELECT 'm1', id FROM h`,
    );
    await database.query(
      `INSERT INTO raymond.runs (id, home, placement) VALUES
         ('local', 'm1', '{"open": true, "workspace": {"kind": "local"}}'),
         ('git', 'm1', '{"open": true, "workspace": {"kind": "git"}, "snapshot": {"behind": "away"}}'),
         ('alone', 'm2', '{"open": true, "workspace": {"kind": "git"}, "snapshot": {"behind": "away"}}')`,
    );

    for (const id of ["local", "alone"]) expect(await heldAtHome(database, id)).toEqual([]);
    expect(await heldAtHome(database, "git")).toEqual([
      {
        agent: null,
        message: "can go on nowhere else: its last files are on m1, and could not be pushed: away",
      },
    ]);
  });
});
