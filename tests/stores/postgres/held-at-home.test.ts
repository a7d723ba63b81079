import { describe, expect, it } from "vitest";
import { heldAtHome } from "../../../src/stores/postgres/held-at-home.ts";
import { fleetDatabase } from "../../support/postgres.ts";

describe("what keeps a run at its home", () => {
  it.each([
    ["whose files travel", { kind: "shared" }, null, []],
    ["whose files are at the remote", { kind: "git" }, { behind: null }, []],
    [
      "whose files are only there",
      { kind: "local" },
      null,
      ["waits for its home m1: its files are there"],
    ],
    [
      "whose last files could not be pushed",
      { kind: "git" },
      { behind: "the remote is away" },
      ["waits for its home m1: its files are there, and could not be pushed: the remote is away"],
    ],
  ])("is told of one %s, where nobody works there", async (_, workspace, snapshot, messages) => {
    const database = await fleetDatabase();
    const placement = { open: true, workspace, ...(snapshot !== null && { snapshot }) };
    await database.query("INSERT INTO raymond.runs (id, home, placement) VALUES ('r1', 'm1', $1)", [
      JSON.stringify(placement),
    ]);

    const held = await heldAtHome(database, "r1");

    expect(held).toEqual(messages.map((message) => ({ agent: null, message })));
  });

  it("is told of one whose home is at work only where it was to travel", async () => {
    const database = await fleetDatabase();
    await database.query(
      `WITH h AS (INSERT INTO raymond.holders (lock_key, machine, host, pid, identity, place)
         VALUES (1, 'm1', 'h', 1, 'i', '{}') RETURNING id)
       INSERT INTO raymond.machines (id, holder) SELECT 'm1', id FROM h`,
    );
    await database.query(
      `INSERT INTO raymond.runs (id, home, placement) VALUES
         ('local', 'm1', '{"open": true, "workspace": {"kind": "local"}}'),
         ('git', 'm1', '{"open": true, "workspace": {"kind": "git"}, "snapshot": {"behind": "away"}}')`,
    );

    expect(await heldAtHome(database, "local")).toEqual([]);
    expect(await heldAtHome(database, "git")).toEqual([
      {
        agent: null,
        message: "can go on nowhere else: its last files are on m1, and could not be pushed: away",
      },
    ]);
  });
});
