import { describe, expect, it } from "vitest";
import { READY } from "../../../src/machine/model/activity.ts";
import { failure as why } from "../../../src/machine/model/failure.ts";
import { endRun } from "../../../src/machine/moves/stop.ts";
import { nextWakeTime, plan } from "../../../src/machine/steps/plan.ts";
import { recover } from "../../../src/machine/steps/recover.ts";
import { schedule } from "../../../src/machine/steps/schedule.ts";
import { agent, failed, waiting } from "../../support/agents.ts";
import { failure, output } from "../../support/outcomes.ts";
import { NOON, RunDriver } from "../../support/run-driver.ts";
import { run, settings } from "../../support/runs.ts";

const HOUR = 3_600_000;
const MINUTE = 60_000;
const DAY = 24 * HOUR;
const limit = (until: number | null) => ({ kind: "limit", until, message: "Limit." }) as const;
const met = (until: number | null, changes = {}) =>
  new RunDriver(run(changes)).start().end(failure("limit"), limit(until));

describe("the wait for a usage limit", () => {
  it("reports its end and the remaining time", () => {
    expect(met(NOON + HOUR).events.at(-1)).toEqual({
      type: "run.waiting",
      class: "limit",
      until: NOON + HOUR,
      leftMs: HOUR,
      message: "Limit.",
    });
  });

  it.each([
    ["years ahead", NOON + 400 * DAY],
    ["beyond every calendar", 1e21],
  ])("takes a reset that is %s as unknown", (_, reset) => {
    expect(met(reset).run.waits["claude"]?.until).toBe(NOON + 5 * MINUTE);
  });

  it.each([
    ["past", NOON - 1],
    ["now", NOON],
  ])("tries soon when the reset is %s already, and then as for an unknown one", (_, reset) => {
    const driven = met(reset);
    expect(driven.run.waits["claude"]?.until).toBe(NOON + 30_000);

    driven.start().end(failure("limit"), limit(reset));
    expect(driven.run.waits["claude"]?.until).toBe(NOON + 10 * MINUTE);
  });

  it("ends if the clock is well before its start, and counts from there when it continues", () => {
    const waiting = recover(met(NOON + HOUR).run, {});
    const yesterday = NOON - DAY;
    expect(plan(waiting, NOON - MINUTE).starts).toEqual([]);
    expect(plan(waiting, yesterday).starts).toEqual(["main"]);
    expect(nextWakeTime(waiting, yesterday)).toBeNull();

    const again = new RunDriver(waiting).start();
    again.end(failure("limit"), limit(null), "main", yesterday);
    expect(again.run.waits["claude"]).toMatchObject({
      since: yesterday,
      until: yesterday + 10 * MINUTE,
    });
  });

  it("is not made longer by a garbled word of a step that began before it", () => {
    const two = { agents: [agent(), agent({ id: "main_w1" })] };
    const driven = new RunDriver(run(two)).start().start("main_w1");
    driven.end(failure("limit"), limit(NOON + HOUR));

    driven.end(failure("limit"), limit(1e21), "main_w1");
    expect(driven.run.waits["claude"]).toMatchObject({ until: NOON + HOUR, tries: 1 });
    expect(driven.types().filter((type) => type === "run.waiting")).toHaveLength(1);
  });

  it("becomes longer when a step that began before it knows better", () => {
    const two = { agents: [agent(), agent({ id: "main_w1" })] };
    const driven = new RunDriver(run(two)).start().start("main_w1");
    driven.end(failure("limit"), limit(null));

    driven.end(failure("limit"), limit(NOON + HOUR), "main_w1");

    expect(driven.run.waits["claude"]).toMatchObject({ until: NOON + HOUR, tries: 1 });
  });

  it("is not over by a step that never ran, or that was a script", () => {
    const driven = met(NOON + HOUR);
    const broken = { kind: "fail", failure: why("deterministic", "x") } as const;

    driven.start().end(failure("deterministic", { exitCode: null }), broken);

    expect(driven.run.waits["claude"]).toBeDefined();
  });

  it("is over by a step that got through, were it only to be refused for its own fault", () => {
    const driven = met(NOON + HOUR);
    const broken = { kind: "fail", failure: why("deterministic", "x") } as const;

    driven.start().end(failure("deterministic"), broken);

    expect(driven.run.waits).toEqual({});
  });
});

describe("--max-wait", () => {
  const patient = (maxWaitMs: number) => ({ settings: settings({ maxWaitMs }) });

  it("waits for a limit that ends in time", () => {
    expect(met(NOON + HOUR, patient(HOUR)).run.stopReason).toBeNull();
  });

  it("stops as paused at a longer wait, with a message, and keeps the wait", () => {
    const driven = met(NOON + 5 * HOUR, patient(HOUR));

    expect(endRun(driven.run)[0]).toMatchObject({
      status: "paused",
      waits: { claude: { until: NOON + 5 * HOUR } },
      stopReason: {
        class: "limit",
        message: "Limit. The wait of 5h 00m exceeds --max-wait 1h 00m.",
        agent: "main",
        state: "START.md",
      },
    });
  });

  it("counts all tries of a limit whose end is unknown as one wait", () => {
    const driven = met(null, patient(16 * MINUTE));
    expect(driven.run.stopReason).toBeNull();

    driven.start().end(failure("limit"), limit(null), "main", NOON + 5 * MINUTE);
    expect(driven.run.stopReason).toBeNull();

    driven.start().end(failure("limit"), limit(null), "main", NOON + 15 * MINUTE);
    expect(driven.run.stopReason).toMatchObject({ class: "limit" });
  });

  it("stops a resumed run again while the rest is too long, and then waits", () => {
    const [paused] = endRun(met(NOON + 5 * HOUR, patient(HOUR)).run);
    const resumed = recover(paused, {});

    expect(plan(resumed, NOON + HOUR).stop).toMatchObject({
      class: "limit",
      message: expect.stringContaining("4h 00m") as string,
    });
    const later = NOON + 4 * HOUR;
    expect(plan(resumed, later)).toMatchObject({ stop: null, starts: [] });
    expect(nextWakeTime(resumed, later)).toBe(NOON + 5 * HOUR);
    expect(schedule(resumed, { at: later, sessions: [] })[0].status).toBe("waiting");
  });
});

describe("a retry now", () => {
  it("ends the wait: one agent goes first, and the others follow once it got through", () => {
    const two = { agents: [agent(), agent({ id: "main_w1" })] };
    const driven = met(NOON + HOUR, two).apply({ type: "retry-now", at: NOON + MINUTE });

    const first = plan(driven.run, NOON + MINUTE);
    expect(first.starts).toHaveLength(1);
    driven.start();
    expect(plan(driven.run, NOON + MINUTE).starts).toEqual([]);
    driven.end(output("x"), {
      kind: "move",
      transitions: [{ tag: "goto", target: "NEXT.md" }],
      implied: false,
    });
    expect(plan(driven.run, NOON + MINUTE).starts).toHaveLength(2);
  });

  it("ends the back-off of every agent that tries again, and leaves the others alone", () => {
    const before = run({
      agents: [
        agent({ activity: waiting(NOON + HOUR), retries: 2 }),
        agent({ id: "main_w1", activity: failed() }),
      ],
    });

    expect(new RunDriver(before).apply({ type: "retry-now", at: NOON }).run).toMatchObject({
      agents: [{ activity: READY, retries: 2 }, { activity: failed() }],
      waits: {},
    });
  });
});
