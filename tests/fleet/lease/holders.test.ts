import { describe, expect, it } from "vitest";
import { deleteStaleHolders } from "../../../src/fleet/lease/holders.ts";
import { fleetDatabase } from "../../support/fleet/postgres.ts";

describe("rows of processes that have held runs", () => {
  it("are deleted a day after the last heartbeat, except those of machines", async () => {
    const database = await fleetDatabase();
    await database.query(`
      INSERT INTO raymond.holders (lock_key, machine, host, pid, identity, place, heartbeat_at)
        VALUES (1, NULL, 'command-of-today', 1, '', '{}', now() - interval '23 hours'),
               (2, NULL, 'command-of-old', 2, '', '{}', now() - interval '25 hours'),
               (3, 'm', 'machine-of-old', 3, '', '{}', now() - interval '25 hours');
      INSERT INTO raymond.machines (id, holder) SELECT machine, id FROM raymond.holders WHERE machine = 'm';
      INSERT INTO raymond.runs (id, holder) SELECT 'r', id FROM raymond.holders WHERE lock_key = 2`);

    await deleteStaleHolders(database);

    const rows = await database.query<{ host: string }>("SELECT host FROM raymond.holders");
    expect(rows.map(({ host }) => host)).toEqual(["command-of-today", "machine-of-old"]);
    expect(await database.query("SELECT id, holder FROM raymond.runs")).toEqual([
      { id: "r", holder: null },
    ]);
  });
});
