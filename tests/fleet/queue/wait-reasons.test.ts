import { describe, expect, it } from "vitest";
import { waitReasons } from "../../../src/fleet/queue/wait-reasons.ts";
import { fleetDatabase } from "../../support/fleet/postgres.ts";

describe("why a run cannot leave its home", () => {
  it("is reported only for a run with a git workspace whose home is alive", async () => {
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

    for (const id of ["local", "alone"]) expect(await waitReasons(database, id)).toEqual([]);
    expect(await waitReasons(database, "git")).toEqual([
      {
        agent: null,
        message: "can run only on m1: its last files could not be pushed: away",
      },
    ]);
  });
});
