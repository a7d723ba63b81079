import { describe, expect, it } from "vitest";
import { accountRow } from "../../../../src/dashboard/page/rows/account-rows.ts";
import { queueRow } from "../../../../src/dashboard/page/rows/queue-rows.ts";
import { scheduleRow } from "../../../../src/dashboard/page/rows/schedule-rows.ts";

const NOW = Date.parse("2026-11-23T12:00:00Z");

const account = {
  ...{ account: "team", machines: ["m1"], runs: 1, max_runs: 4, begun: 5, slots: 2 },
  rate: { runs: 10, per_s: 3_600 },
  ...{ max_slots: null, today_usd: 3, per_day_usd: 4, waiting: 2, waiting_runs: ["a", "b"] },
  cooldown: null,
};

const queue = {
  ...{ machine: null, pool: "default", account: null, runs: 3, later: 0, first: "one" },
  workers: "available",
} as const;

const schedule = {
  ...{ name: "nightly", cron: "0 3 * * *", time_zone: "UTC", paused: false, workflow: "/p/flow" },
  ...{ next_at: "2026-11-23T13:00:00Z", last_run: null, last_at: null, made_at: "" },
};

describe("an account of a fleet on the page", () => {
  it("has each figure beside its limit, and how much of it is used", () => {
    const { figures, look, blocked, waiting, waiters } = accountRow(account, NOW);
    expect(figures).toEqual([
      { label: "Runs", text: "1 of 4", share: 0.25 },
      { label: "Started", text: "5 of 10/1h", share: 0.5 },
      { label: "Clients", text: "2", share: null },
      { label: "Today", text: "$3.00 of $4.00", share: 0.75 },
    ]);
    expect([look.words, blocked, waiting, waiters]).toEqual([
      "on 1 machine",
      "",
      "2 waiting",
      ["a", "b"],
    ]);
  });

  it("says until when it cools down, that its day is used up, and that no worker has it", () => {
    const cooldown = { until: "2099-01-01T12:00:00Z", message: "hit\u202E the limit" };
    const cools = accountRow({ ...account, cooldown }, NOW);
    expect(cools.look.words).toBe("cooling down");
    expect(cools.blocked).toMatch(/^usage limit until 2099-01-01 .*: hit(?!\u202E)/);
    const tried = accountRow({ ...account, cooldown: { ...cooldown, until: "2026-01-01" } }, NOW);
    expect(tried.blocked).toMatch(/^usage limit until a prompt succeeds/);
    const used = accountRow({ ...account, today_usd: 4 }, NOW);
    expect([used.look.words, used.blocked]).toEqual([
      "daily budget used up",
      "daily limit of $4.00 reached (UTC)",
    ]);
    expect(accountRow({ ...account, machines: [] }, NOW).look.words).toBe("no worker");
  });
});

describe("a queue on the page", () => {
  it("says who may take its runs, and why nobody does", () => {
    const words = (of: Partial<Parameters<typeof queueRow>[0]>) => {
      const { name, account: who, look, runs, later } = queueRow({ ...queue, ...of });
      return [name, who, look.words, runs, later];
    };
    expect(words({})).toEqual(["pool default", "", "waiting for a free slot", "3 runs", ""]);
    expect(words({ later: 1 })[4]).toBe("1 scheduled");
    expect(words({ later: 3 }).slice(2)).toEqual(["scheduled", "3 runs", ""]);
    expect(words({ machine: "m1", account: "team", workers: "none" })).toEqual([
      ...["machine m1", "account team", "no worker", "3 runs", ""],
    ]);
    expect(words({ workers: "drained" })[2]).toBe("all machines drained");
  });
});

describe("a schedule on the page", () => {
  it("says when it is due, that it is paused, and that nobody has begun what was due", () => {
    expect(scheduleRow(schedule, NOW)).toMatchObject({ workflow: "flow", lastRun: null });
    expect(scheduleRow(schedule, NOW).look.words).toMatch(/, in 1 h$|, in 60 min$/);
    expect(scheduleRow({ ...schedule, paused: true }, NOW)).toMatchObject({
      look: { words: "paused" },
      exactly: "",
    });
    const late = { ...schedule, next_at: "2026-11-23T11:50:00Z" };
    expect(scheduleRow(late, NOW).look.words).toMatch(
      /^overdue since .*: no worker has started it$/,
    );
  });
});
