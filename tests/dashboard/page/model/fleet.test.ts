import { describe, expect, it } from "vitest";
import { accountCells } from "../../../../src/console/format/account-cells.ts";
import type { ListedMachineJson } from "../../../../src/dashboard/api.ts";
import {
  accountBadge,
  machineBadge,
  machineCount,
  queueBadge,
  scheduleBadge,
} from "../../../../src/dashboard/page/model/fleet.ts";
import type { AccountJson } from "../../../../src/inspect/json/shapes.ts";

const NOW = Date.parse("2026-11-23T12:00:00Z");

const MACHINE: ListedMachineJson = {
  ...({ id: "m1", state: "working", lives: true, draining: false, silent_since: null } as const),
  ...{ pools: [], accounts: [], slots: 4, active_runs: 1, runs: 1, version: "1" },
};

const ACCOUNT: AccountJson = {
  ...{ account: "team", machines: ["m1"], runs: 1, max_runs: 4, started: 5, slots: 2 },
  rate: { runs: 10, per_s: 3_600 },
  ...{ max_slots: null, today_usd: 3, per_day_usd: 4, waiting: 2, waiting_runs: ["a", "b"] },
  cooldown: null,
};

const QUEUE = {
  ...{ machine: null, pool: "default", account: null, runs: 3, later: 0, first: "one" },
  workers: "available",
} as const;

const SCHEDULE = {
  ...{ name: "nightly", cron: "0 3 * * *", time_zone: "UTC", paused: false, workflow: "/p/flow" },
  ...{ next_at: "2026-11-23T13:00:00Z", last_run: null, last_at: null, made_at: "" },
};

describe("a machine", () => {
  it("is shown with the time of its last heartbeat when it is gone", () => {
    const gone = { state: "gone", lives: false, silent_since: "2026-11-23T11:00:00Z" } as const;

    expect(machineBadge({ ...MACHINE, ...gone }, NOW).words).toBe("gone, last heartbeat 1 h ago");
    expect(machineCount([MACHINE, { ...MACHINE, ...gone }])).toBe("2 machines, 1 gone");
  });

  it("is shown with a warning when its client cannot answer prompts", () => {
    const badge = machineBadge({ ...MACHINE, client_problems: { "": "not found" } }, NOW);

    expect(badge).toMatchObject({ words: "working, client unhealthy", tone: "warn" });
  });
});

describe("an account", () => {
  const shown = (of: Partial<AccountJson>) => {
    const account = { ...ACCOUNT, ...of };
    const { blocked } = accountCells(account, NOW);
    return [accountBadge(account, blocked).words, blocked];
  };

  it("is available on its machines", () => {
    expect(shown({})).toEqual(["on 1 machine", ""]);
    expect(shown({ machines: [] })[0]).toBe("no worker");
  });

  it("shows the end of its usage limit, or its used daily budget", () => {
    const cooldown = { until: "2099-01-01T12:00:00Z", message: "hit the limit" };
    const [words, blocked] = shown({ cooldown });
    expect(words).toBe("cooling down");
    expect(blocked).toMatch(/^usage limit until 2099-01-01 .*: hit/);
    const past = { ...cooldown, until: "2026-01-01" };
    expect(shown({ cooldown: past })[1]).toMatch(/^usage limit until a prompt succeeds/);
    expect(shown({ today_usd: 4 })).toEqual([
      "daily budget used up",
      "daily limit of $4.00 reached (UTC)",
    ]);
  });
});

it("a queue shows why its runs do not start", () => {
  const words = (of: Partial<Parameters<typeof queueBadge>[0]>) =>
    queueBadge({ ...QUEUE, ...of }).words;

  expect(words({})).toBe("waiting for a free slot");
  expect(words({ later: 1 })).toBe("waiting for a free slot");
  expect(words({ later: 3 })).toBe("scheduled");
  expect(words({ workers: "none" })).toBe("no worker");
  expect(words({ workers: "drained" })).toBe("all machines drained");
});

it("a schedule shows its next start, that it is paused, or that it is overdue", () => {
  const words = (of: Partial<typeof SCHEDULE>) => scheduleBadge({ ...SCHEDULE, ...of }, NOW).words;

  expect(words({})).toMatch(/, in 1 h$|, in 60 min$/);
  expect(words({ paused: true })).toBe("paused");
  expect(words({ next_at: "2026-11-23T11:50:00Z" })).toMatch(
    /^overdue since .*: no worker has started it$/,
  );
});
