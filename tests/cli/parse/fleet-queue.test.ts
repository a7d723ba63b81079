import { describe, expect, it } from "vitest";
import { initializedFleet } from "../../support/fleet/quiet-fleet.ts";

describe("a run in the queue of a fleet", () => {
  it("shows its start time, starts now by retry, and is cancelled by stop", async () => {
    const { say, database } = await initializedFleet();
    const at = "2999-01-02T03:04:05.000Z";
    const placement = async () => {
      const [row] = await database.query<{ placement: { at: number | null; entry: number } }>(
        "SELECT placement FROM raymond.runs WHERE id = 'r'",
      );
      return row?.placement;
    };
    const submitted = await say("submit", "w", "--workflow-id", "r", "--at", at, "--json");
    const listed = await say("list", "--json");
    const table = await say("list");
    const why = await say("why", "r");
    const show = await say("show", "r");
    const woken = await say("retry", "r");

    expect(JSON.parse(submitted.out)).toEqual({
      workflow_id: "r",
      held_up: [{ agent: null, message: `starts at ${at}` }],
    });
    expect(submitted.err).toBe(`r starts at ${at}. To start it now: raymond retry r\n`);
    expect(JSON.parse(listed.out)).toMatchObject({ status: "queued", waits_until: at });
    expect(table.out).toMatch(/^r +queued until 2999-01-02/m);
    for (const words of [`It starts at ${at}.`, "raymond retry r\n", "raymond stop r\n"])
      expect(why.out).toContain(words);
    expect(why.out).not.toContain("--resume");
    expect(show.err).toContain(`starts at ${at}`);
    expect(woken).toMatchObject({ code: 0, out: "r starts as soon as a worker is free.\n" });
    expect(await placement()).toMatchObject({ at: null, entry: 2, queued: true });
    // There is nothing left to begin.
    expect(await say("retry", "r")).toMatchObject({ code: 0, out: "" });
  });

  it("is removed by stop and queued again by resume, and is not shown as crashed", async () => {
    const { say } = await initializedFleet();
    const noWorker = "waits for a worker of pool default (none has been seen yet)";
    const submitted = await say("submit", "w", "--workflow-id", "r");
    const stopped = await say("stop", "r");
    const status = JSON.parse((await say("status", "r", "--json")).out) as object;
    const resumed = await say("resume", "r");
    const again = JSON.parse((await say("status", "r", "--json")).out) as object;
    const why = await say("why", "r");

    expect(submitted.err).toContain(noWorker);
    expect(stopped.out).toBe("r has stopped: interrupted.\nResume with: raymond resume r\n");
    expect(status).toMatchObject({
      status: "interrupted",
      held_up: [],
      next: "raymond resume r",
    });
    expect(resumed).toMatchObject({ out: "r\n", err: submitted.err });
    expect(again).toMatchObject({
      status: "queued",
      held_up: [{ agent: null, message: noWorker }],
      next: "raymond worker",
    });
    expect(why.out).toMatch(/^r: queued\. It waits for a worker of pool default/);
  });

  it("shows its position in the queue, and where a slot is", async () => {
    const { say, database, machine } = await initializedFleet();
    for (const id of ["r1", "r2", "r3"]) await say("submit", "w", "--workflow-id", id);
    await say("submit", "w", "--workflow-id", "later", "--at", "2h");
    await machine("m1", { slots: 1 });
    const free = await say("why", "r3");
    await database.query(
      "UPDATE raymond.runs SET holder = (SELECT holder FROM raymond.machines) WHERE id = 'r1'",
    );

    expect(free.out).toContain("It continues automatically.");
    expect((await say("why", "r3")).out).toContain(
      "It waits for a slot: the slot of m1 is in use; 1 run before it in its queue.",
    );
    expect((await say("status", "r2")).out).toContain("next in its queue");
    expect((await say("status", "r1")).out).not.toContain("waits for");
  });
});
