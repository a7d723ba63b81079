import { describe, expect, it } from "vitest";
import type { MachineStatus } from "../../../../src/fleet/lease/machines.ts";
import { type QueuedFacts, whyQueued } from "../../../../src/fleet/queue/admission/why-queued.ts";
import type { PlacedRun, Placement } from "../../../../src/fleet/store/rows/placement.ts";
import type { FleetAccount } from "../../../../src/inspect/fleet-board.ts";

const m1: MachineStatus = {
  ...{ id: "m1", pools: ["default"], accounts: ["team"], slots: 2, version: "1" },
  ...{
    lives: true,
    draining: false,
    heartbeatAt: new Date(0),
    silentMs: 100,
    activeRuns: 0,
    runs: 0,
  },
  clientProblems: {},
  missingAgents: [],
  policy: null,
};
const NO_LIMITS = { folders: null, repositories: null, permissions: null, clients: null };
const m2 = { ...m1, id: "m2" };
const gone = { ...m1, lives: false, silentMs: 20_000 };
const full = { ...m1, activeRuns: 2 };
const unhealthy = { ...m1, clientProblems: { "": "The client was not found." } };

const PLACEMENT: Placement = {
  ...{ pool: "default", account: null, pinned: null, workspace: { kind: "shared", folder: "/w" } },
  ...{ sessions: { kind: "home" }, failoverAfterMs: 120_000, inside: "", lostSession: "fail" },
  ...{ entry: 1, at: null },
};

const ACCOUNT: FleetAccount = {
  ...{
    name: "team",
    machines: ["m1"],
    runs: 0,
    started: 0,
    slots: 0,
    todayMicroUsd: 0,
    waiting: 0,
  },
  waiters: [],
  limits: { runs: null, rate: null, slots: null, perDayMicroUsd: null },
  cooldown: null,
};

interface Case {
  readonly run?: Partial<PlacedRun>;
  readonly placement?: Partial<Placement>;
  readonly facts?: Partial<QueuedFacts>;
}

function reasons({ run = {}, placement = {}, facts = {} }: Case) {
  const placed = { id: "r1", home: null, snapshot: null, ...run };
  const held = whyQueued({
    run: { ...placed, placement: { ...PLACEMENT, ...placement } },
    ...{
      startsAt: null,
      hasStarted: false,
      machines: [m1],
      account: null,
      before: 0,
    },
    ...facts,
  });
  return held.map(({ message, remedies: ways = [] }) => [
    message,
    ...ways.map(({ command }) => command),
  ]);
}

const team = { placement: { account: "team" } };
const limited = (limits: Partial<FleetAccount["limits"]>, now: Partial<FleetAccount> = {}) => ({
  account: { ...ACCOUNT, ...now, limits: { ...ACCOUNT.limits, ...limits } },
});

describe("a queued run", () => {
  it.each<readonly [string, Case]>([
    ["a machine of its pool has a free slot", {}],
    ["one of several has", { facts: { machines: [full, gone, m2] } }],
    ["one of several has a working client", { facts: { machines: [unhealthy, m2] } }],
    [
      "it needs no client",
      { placement: { withoutClient: true }, facts: { machines: [unhealthy] } },
    ],
    [
      "its account works on an unhealthy machine",
      { ...team, facts: { ...limited({}), machines: [unhealthy] } },
    ],
    ["its account has reached no limit", { ...team, facts: limited({ runs: 1 }) }],
    [
      "its account has reached its rate limit, but the run has started before",
      {
        ...team,
        facts: { ...limited({ rate: { runs: 1, ms: 1_000 } }, { started: 1 }), hasStarted: true },
      },
    ],
    [
      "one of several has a policy that allows it",
      { facts: { machines: [{ ...m1, policy: { ...NO_LIMITS, folders: [] } }, m2] } },
    ],
    ["its home is alive", { run: { home: "m1" }, facts: { machines: [m1, m2] } }],
    [
      "another claims it from its home",
      { run: { home: "m1" }, facts: { machines: [{ ...gone, silentMs: 130_000 }, m2] } },
    ],
  ])("is not held up if %s", (_, facts) => {
    expect(reasons(facts)).toEqual([]);
  });

  it.each<readonly [string, Case, readonly string[]]>([
    [
      "it starts later",
      { facts: { startsAt: Date.UTC(2999, 0, 2), machines: [] } },
      ["starts at 2999-01-02T00:00:00.000Z", "retry r1", "stop r1"],
    ],
    [
      "no worker was ever there",
      { facts: { machines: [] } },
      ["waits for a worker of pool default (none has been seen yet)", "worker"],
    ],
    [
      "those of its pool are gone",
      { placement: { pool: "gpu" }, facts: { machines: [{ ...gone, pools: ["gpu"] }, m2] } },
      ["waits for a worker of pool gpu (gone: m1)", "worker --pool gpu"],
    ],
    [
      "none of those that live has a working client",
      {
        facts: {
          machines: [unhealthy, { ...unhealthy, id: "m2" }, { ...m1, id: "m3", draining: true }],
        },
      },
      [
        "waits for a working client on machine m1; the same holds for m2. The client was not found.",
        "fleet workers",
      ],
    ],
    [
      "their policies refuse it",
      {
        facts: {
          machines: [
            { ...m1, policy: { ...NO_LIMITS, folders: ["/x"] } },
            { ...m2, policy: { ...NO_LIMITS, permissions: "edit" } },
          ],
        },
      },
      [
        'is refused by the policy of each worker that could run it: m1: it does not allow the folder /w (allowed: /x); m2: it allows at most the permissions "edit", and the run may have "full"',
        "fleet workers",
      ],
    ],
    [
      "those that live are drained",
      {
        facts: {
          machines: [
            { ...m1, draining: true },
            { ...gone, id: "m2" },
          ],
        },
      },
      ["waits, because all machines that may run it are drained: m1", "fleet drain m1 --end"],
    ],
    [
      "no machine serves its account",
      { ...team, facts: { ...limited({}), machines: [{ ...m1, accounts: [] }] } },
      ["waits for a worker that serves account team (no machine serves it)"],
    ],
    [
      "the machines that serve its account are gone",
      { ...team, facts: { ...limited({}), machines: [gone, { ...m2, accounts: [] }] } },
      ["waits for a worker that serves account team (gone: m1)"],
    ],
    [
      "the run limit of its account is reached",
      { ...team, facts: limited({ runs: 3 }, { runs: 3 }) },
      ["waits for the run limit of account team (3 of 3 running)", "fleet limits"],
    ],
    [
      "the rate limit of its account is reached",
      { ...team, facts: limited({ rate: { runs: 10, ms: 3_600_000 } }, { started: 10 }) },
      ["waits for the rate limit of account team (10 of 10/1h started)", "fleet limits"],
    ],
    [
      "its only machine is gone",
      { placement: { pinned: "m1" }, facts: { machines: [gone, m2] } },
      ["waits for machine m1, which is gone for 20s", "fleet move r1 --to MACHINE"],
    ],
    [
      "its files are only on its home",
      {
        run: { home: "m1" },
        placement: { workspace: { kind: "local", folder: null } },
        facts: { machines: [gone, m2] },
      },
      ["waits for its home m1: its files are there"],
    ],
    [
      "its last files could not be pushed",
      {
        run: { home: "m1", snapshot: { commit: "c", behind: "the remote is away" } },
        placement: { workspace: { kind: "git", repository: "r", commit: "c", subfolder: "" } },
        facts: { machines: [gone, m2] },
      },
      ["waits for its home m1: its files are there, and could not be pushed: the remote is away"],
    ],
    [
      "its home may come back",
      { run: { home: "m1" }, facts: { machines: [gone, m2] } },
      [
        "waits for its home m1, which is gone for 20s; another machine may claim it in 1m 40s",
        "fleet move r1 --to MACHINE",
      ],
    ],
    [
      "all slots are in use, and other runs are before it",
      { facts: { machines: [full, { ...full, id: "m2" }, { ...gone, id: "m3" }], before: 3 } },
      ["waits for a slot: all 4 slots of m1, m2 are in use; 3 runs before it in its queue"],
    ],
    [
      "the only slot is in use, and it is next",
      { facts: { machines: [{ ...m1, slots: 1, activeRuns: 1 }] } },
      ["waits for a slot: the slot of m1 is in use; next in its queue"],
    ],
  ])("explains that %s", (_, facts, words) => {
    expect(reasons(facts)).toEqual([words]);
  });
});
