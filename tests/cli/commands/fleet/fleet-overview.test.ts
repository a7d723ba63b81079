import { describe, expect, it } from "vitest";
import { openDatabase } from "../../../../src/fleet/store/database.ts";
import { postgresStore } from "../../../../src/fleet/store/store.ts";
import { quietFleet } from "../../../support/fleet/quiet-fleet.ts";
import { run } from "../../../support/runs.ts";

/** A fleet with runs of several statuses, some of them queued. */
async function fleet() {
  const quiet = await quietFleet();
  const { database } = quiet;
  const store = postgresStore(database, "/nowhere");
  const keep = (id: string, status: "running" | "failed" | "completed") =>
    store.save(run({ id, status, agents: [] }), 0);
  for (const id of ["q1", "q2", "crashed"]) await keep(id, "running");
  await keep("failed", "failed");
  await keep("done", "completed");
  await store.close();
  await database.query(
    `UPDATE raymond.runs SET pool = 'gpu', submitted_at = now(), placement = '{"open": true, "claims": {"steps": 1}}'
      WHERE id IN ('q1', 'q2', 'failed')`,
  );
  return quiet;
}

describe("raymond fleet", () => {
  it("shows machines, runs, queues and the next commands", async () => {
    const { say, machine } = await fleet();
    const before = await say("fleet");
    await machine("m1", { pools: ["default"], slots: 3 });
    await machine("m2", { pools: ["default"] });
    await say("fleet", "drain", "m2");

    const { out } = await say("fleet");
    const json = JSON.parse((await say("fleet", "--json")).out) as object;

    expect(before.out).toMatch(/^machines +none yet$/m);
    expect(before.out).toContain("    raymond worker\n");
    expect(out).toMatch(/^machines +1 working, 0 of 3 slots in use; 1 drained$/m);
    expect(out).toMatch(/^runs +1 completed, 1 crashed, 1 failed, 2 queued$/m);
    expect(out).toMatch(/^queues +pool gpu: 2 runs, first q1; no worker can claim it$/m);
    expect(out).toContain("    raymond doctor --fleet\n");
    expect(out).toContain("    raymond list --fleet --status failed\n");
    expect(json).toMatchObject({
      machines: { working: 1, draining: 0, drained: 1, gone: 0 },
      ...{ slots: 3, slots_taken: 0 },
      runs: { completed: 1, crashed: 1, failed: 1, queued: 2 },
      queues: [{ pool: "gpu", runs: 2, first: "q1", served: false }],
      next: ["raymond doctor --fleet", "raymond list --fleet --status failed"],
    });
  });

  it("shows the runs in progress of each machine, and how long it has been silent", async () => {
    const { say, machine, database } = await fleet();
    await machine("m1", { accounts: ["team"], slots: 3 });
    await machine("m2");
    await database.query(
      `UPDATE raymond.holders SET heartbeat_at = now() - interval '10 minutes' WHERE machine = 'm2'`,
    );
    await database.query(
      `UPDATE raymond.runs SET home = 'm1', holder = (SELECT holder FROM raymond.machines WHERE id = 'm1') WHERE id = 'q1'`,
    );

    const { out } = await say("fleet", "workers");

    expect(out.split("\n").map((line) => line.split(/ {2,}/))).toMatchObject([
      ["machine", "state", "slots", "at home", "pools", "accounts", "version"],
      ["m1", "working", "1 of 3", "1", "default", "team"],
      [
        "m2",
        expect.stringMatching(/^working, silent for 1\dm \d\ds$/),
        "0 of 20",
        "0",
        "default",
        "–",
      ],
      [""],
    ]);
  });
});

describe("a read-only role", () => {
  it("can use commands that only read, and gets an explanation from the others", async () => {
    const { machine, url, sayTo } = await fleet();
    await machine("m1");
    const owner = openDatabase(url);
    // Roles belong to the server, which other tests use too.
    const role = `viewer_${new URL(url).pathname.slice(1)}`;
    await owner.query(`CREATE ROLE ${role} LOGIN PASSWORD 'l'`);
    await owner.query(`GRANT USAGE ON SCHEMA raymond TO ${role}`);
    await owner.query(`GRANT SELECT ON ALL TABLES IN SCHEMA raymond TO ${role}`);
    await owner.close();
    const viewer = new URL(url);
    viewer.username = role;
    viewer.password = "l";
    const say = sayTo(viewer.href);

    for (const words of [
      ["fleet"],
      ["fleet", "workers"],
      ["fleet", "limits"],
      ["list"],
      ["why", "q1"],
    ])
      expect((await say(...words)).err, words.join(" ")).not.toContain("error");
    for (const words of [
      ["fleet", "init"],
      ["worker", "--machine", "m3", "--state-dir", "m3"],
      ["fleet", "drain", "m1"],
      ["submit", "w"],
    ])
      await expect(say(...words), words.join(" ")).rejects.toMatchObject({
        code: "fleet/refused",
        message: expect.stringMatching(/it requires the (?:role|owner)/) as string,
      });
  });
});
