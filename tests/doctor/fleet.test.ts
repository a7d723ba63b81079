import { describe, expect, it } from "vitest";
import {
  checkMachines,
  checkRoom,
  checkSaves,
  checkServer,
  fleetChecks,
} from "../../src/doctor/fleet.ts";
import { checkSkew } from "../../src/fleet/worker/readiness.ts";
import type { Check } from "../../src/inspect/check.ts";
import { emptyDatabaseUrl, fleetUrl, openedDatabase } from "../support/fleet/postgres.ts";
import { testShell } from "../support/test-shell.ts";

const server = { version: "17.2", number: 170_002, encrypted: true, standby: false };
const address = { shown: "postgresql://db.example.org/raymond", isLocal: false };
const machine = {
  id: "m1",
  lives: true,
  version: "1.0.0",
  draining: false,
  activeRuns: 0,
  clientProblems: {},
  missingAgents: [],
};

/** The level of each check, by its name. */
const levels = (checks: readonly Check[]) =>
  Object.fromEntries(checks.map(({ name, level }) => [name, level]));

describe("raymond doctor --fleet", () => {
  it.each([
    ["a server that will do", checkServer(server, address), "ok", "17.2, encrypted"],
    ["a standby", checkServer({ ...server, standby: true }, address), "fail", "standby"],
    ["an old server", checkServer({ ...server, number: 130_000 }, address), "fail", "too old"],
    [
      "an unknown server",
      checkServer(server, { ...address, shown: `${address.shown}?sslmode=no-verify` }),
      "warn",
      "without verification of the server certificate",
    ],
    ["a careless server", checkSaves({ fsync: false }), "fail", "power loss"],
    ["a full server", checkRoom({ maxConnections: 100, connections: 90 }), "warn", "90 of 100"],
    ["a clock that is nearly right", checkSkew(4_000), "ok", "agree"],
    ["a clock that is fast", checkSkew(30_000), "warn", "30 s ahead of"],
    ["a clock that is a minute slow", checkSkew(-60_000), "fail", "60 s behind"],
    [
      "a worker whose client does not work",
      checkMachines([machine, { ...machine, id: "m2", clientProblems: { "": "It is gone." } }]),
      "warn",
      "claim no runs with prompts: m2: It is gone.",
    ],
    ["no worker", checkMachines([{ ...machine, lives: false }]), "warn", "No worker"],
    [
      "workers",
      checkMachines([machine, { ...machine, id: "m2", draining: true }]),
      "ok",
      "m1 (1.0.0), m2 (1.0.0), drained",
    ],
    [
      "workers that claim nothing",
      checkMachines([
        { ...machine, draining: true, activeRuns: 2 },
        { ...machine, id: "m2", draining: true },
      ]),
      "warn",
      "m1 (1.0.0), draining, m2 (1.0.0), drained: no machine claims runs",
    ],
    [
      "workers of two versions, and more that are gone",
      checkMachines([
        machine,
        { ...machine, id: "m2", version: "1.1.0" },
        { ...machine, id: "m3", lives: false },
        { ...machine, id: "m4", lives: false },
      ]),
      "warn",
      "m1 (1.0.0), m2 (1.1.0); 2 more without a worker: different versions",
    ],
  ] as const)("reports %s", (_, check, level, message) => {
    expect(check).toMatchObject({ level, message: expect.stringContaining(message) as string });
    expect(check.hint === null).toBe(level === "ok");
  });

  it("looks at a fleet that is there", async () => {
    const url = await fleetUrl();
    await openedDatabase(url).query(
      "INSERT INTO raymond.accounts (name, per_day_micro_usd) VALUES ('team', 2000000)",
    );

    const checks = await fleetChecks(testShell("/", { RAYMOND_FLEET: url }));

    // That of the tests need not survive anything.
    expect(levels(checks)).toMatchObject({
      ...{ database: "ok", saves: "fail", room: "ok", skew: "ok", tables: "ok" },
      ...{ machines: "warn", conversations: "ok", account: "ok" },
    });
    expect(checks.at(-1)?.message).toBe("team, today $0.00 of $2.00");
  });

  it("finds runs that wait for an absent worker, with a hint", async () => {
    const url = await fleetUrl();
    const database = openedDatabase(url);
    await database.query(`
      INSERT INTO raymond.holders (lock_key, machine, host, pid, identity, place)
        VALUES (1, 'm1', 'h', 1, '', '{}'), (2, 'm2', 'h', 2, '', '{}');
      INSERT INTO raymond.machines (id, holder, pools, accounts, draining)
        SELECT machine, id, '{default}', '{team}', machine = 'm2' FROM raymond.holders;
      INSERT INTO raymond.runs (id, status, pool, account, home, placement)
        SELECT id, 'running', pool, account, home, jsonb_build_object('open', true, 'pinned', pinned,
               'workspace', jsonb_build_object('kind', kind))
        FROM (VALUES
          ('taken-by-m1', 'default', NULL, NULL, NULL, 'local'),
          ('account-of-m1', 'default', 'team', NULL, NULL, 'local'),
          ('gpu-1', 'gpu', NULL, NULL, NULL, 'local'),
          ('gpu-2', 'gpu', NULL, NULL, NULL, 'local'),
          ('no-account', 'default', 'other', NULL, NULL, 'local'),
          ('home-gone', 'default', NULL, 'm3', NULL, 'local'),
          ('may-travel', 'default', NULL, 'm3', NULL, 'shared'),
          ('drained', 'default', NULL, NULL, 'm2', 'shared')
        ) AS made (id, pool, account, home, pinned, kind)`);

    const checks = await fleetChecks(testShell("/", { RAYMOND_FLEET: url }));

    const found = checks.filter(({ name }) => name === "queues");
    expect(found.map(({ level, message }) => [level, message])).toEqual([
      ["warn", "2 runs wait for a worker of the pool gpu."],
      ["warn", "Run drained waits for the machine m2, which is drained."],
      ["warn", "Run home-gone waits for the machine m3, which has no running worker."],
      ["warn", "Run no-account waits for a worker of the pool default with the account other."],
    ]);
    expect(found.map(({ hint }) => hint)).toEqual([
      expect.stringContaining("raymond worker --pool gpu"),
      expect.stringContaining("raymond fleet drain m2 --end"),
      expect.stringContaining("raymond worker --machine m3"),
      expect.stringContaining("[accounts.other]"),
    ]);
  });

  it("sees a clock that is a minute wrong", async () => {
    const shell = testShell("/", { RAYMOND_FLEET: await fleetUrl() });

    const checks = await fleetChecks({ ...shell, now: () => Date.now() + 61_000 });

    expect(levels(checks)["skew"]).toBe("fail");
  });

  it.each([
    ["has no tables", emptyDatabaseUrl, "tables", "raymond fleet init"],
    [
      "is not there",
      () => Promise.resolve("postgresql://127.0.0.1:1/raymond"),
      "database",
      "Check that the server is running",
    ],
    ["is not named", () => Promise.resolve(undefined), "database", "raymond fleet dev"],
  ])("says what to do where the database %s", async (_, url, name, hint) => {
    const shell = testShell("/", { RAYMOND_FLEET: await url() });

    const failed = (await fleetChecks(shell)).find((check) => check.name === name);

    expect(failed).toMatchObject({
      level: "fail",
      hint: expect.stringContaining(hint) as string,
    });
  });
});
