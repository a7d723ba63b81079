import { describe, expect, it } from "vitest";
import { dueAt, READY } from "../../src/machine/model/activity.ts";
import { FRESH } from "../../src/machine/model/agent.ts";
import { failure as why } from "../../src/machine/model/failure.ts";
import { findAgent } from "../../src/machine/model/roster.ts";
import { NO_TOKENS } from "../../src/machine/model/spend.ts";
import { endRun } from "../../src/machine/moves/stop.ts";
import { agent, frame, waiting } from "../support/agents.ts";
import { cost, failure, output } from "../support/outcomes.ts";
import { NOON, RunDriver } from "../support/run-driver.ts";
import { run, settings } from "../support/runs.ts";
import { partialSpend } from "../support/spend.ts";

const TO_NEXT = { tag: "goto", target: "NEXT.md" } as const;
const GO = { kind: "move", transitions: [TO_NEXT], implied: false } as const;
const CRASH = {
  kind: "retry",
  failure: why("crash", "It died."),
  delayMs: null,
} as const;

const fresh = () => run({ agents: [agent({ session: FRESH })] });

describe("a step that starts", () => {
  it("saves its session id, number and start before its process starts", () => {
    const { run: next, events } = new RunDriver(fresh()).start();

    expect(next.agents[0]).toMatchObject({
      session: { mode: "fresh", id: "new1" },
      entered: FRESH,
      starts: 1,
      activity: { type: "running", process: 1, kind: "prompt", accepted: false, spend: null },
    });
    expect(next.processes).toBe(1);
    expect(events[0]).toMatchObject({ type: "step.started", session: "fresh", attempt: 1 });
  });

  it("leaves the session of an agent alone when it is a script", () => {
    const { run: next } = new RunDriver(
      run({ agents: [agent({ session: FRESH, state: "A.sh" })] }),
    ).start();

    expect(next.agents[0]).toMatchObject({
      session: FRESH,
      activity: { type: "running", kind: "script" },
    });
  });

  it("gives a branch the baseline of its source", () => {
    const branch = { mode: "branch", source: "s1", id: null } as const;
    const before = run({
      agents: [agent({ session: branch })],
      baselines: { s1: 9_000 },
    });

    expect(new RunDriver(before).start().run.baselines["new1"]).toBe(9_000);
  });

  it("is a bug to start twice at once", () => {
    expect(() => new RunDriver(run()).start().start()).toThrow("already in flight");
  });
});

describe("a step that ends", () => {
  it("continues in its session", () => {
    const { run: next } = new RunDriver(fresh()).start().end(output("x", { session: "new1" }), GO);

    expect(next.agents[0]).toMatchObject({
      state: "NEXT.md",
      session: { mode: "resume", id: "new1" },
      activity: READY,
    });
    expect(next.steps).toBe(1);
  });

  it("keeps a pending branch through a script until a prompt uses it", () => {
    const driven = new RunDriver(run()).step({ tag: "call", target: "A.sh", returnTo: "R.md" });
    expect(driven.run.agents[0]).toMatchObject({ session: { mode: "branch", source: "s1" } });

    driven.start().end(output("x", { session: null }), GO);
    expect(driven.run.agents[0]).toMatchObject({
      session: { mode: "branch", source: "s1", id: null },
    });
  });

  it("counts its cost for the agent, the state and the run", () => {
    const { run: next } = new RunDriver(run()).step(TO_NEXT, { spend: cost(4_500) });

    expect(next.totals).toMatchObject({ attempts: 1, costMicroUsd: 4_500 });
    expect(next.agents[0]?.sums).toMatchObject({ costMicroUsd: 4_500 });
    expect(next.sums.states["START.md"]).toMatchObject({ costMicroUsd: 4_500 });
  });

  it("counts the cost of a failed attempt all the same", () => {
    const { run: next } = new RunDriver(run())
      .start()
      .end(failure("crash", { spend: cost(4_500) }), CRASH);

    expect(next.totals.costMicroUsd).toBe(4_500);
    expect(next.steps).toBe(0);
  });

  it("reminds in the session just used, and counts the reminders", () => {
    const fault = { code: "no-tag", message: "No tag." } as const;
    const { run: next } = new RunDriver(fresh())
      .start()
      .end(output("x", { session: "new1" }), { kind: "remind", fault });

    expect(next.agents[0]).toMatchObject({
      session: { mode: "resume", id: "new1" },
      entered: FRESH,
      reminders: 1,
      fault,
      delivery: "reminder",
      activity: READY,
    });
  });

  it("continues after a crash with a note if the prompt was accepted, otherwise with a new id", () => {
    const accepted = new RunDriver(fresh())
      .start()
      .end(failure("crash", { session: "new1" }), CRASH);
    expect(accepted.run.agents[0]).toMatchObject({
      activity: { ...waiting(NOON + 1_000), since: NOON },
      retries: 1,
      session: { mode: "resume", id: "new1" },
      delivery: "interrupted",
    });

    const unaccepted = new RunDriver(fresh()).start().end(failure("crash"), CRASH);
    expect(unaccepted.run.agents[0]).toMatchObject({ session: FRESH, delivery: "prompt" });
  });

  it("forks a worker with an id of its own, which is never used again", () => {
    const fork = {
      tag: "fork",
      target: "ANALYZE.md",
      next: "START.md",
      attributes: { item: "1" },
    } as const;

    const driven = new RunDriver(run()).step(fork);
    expect(driven.run.agents.map(({ id }) => id)).toEqual(["main", "main_analyz1"]);

    driven.step({ tag: "result", payload: "ok" }, {}, "main_analyz1").step(fork);
    expect(driven.run.agents.map(({ id }) => id)).toEqual(["main", "main_analyz2"]);
    expect(driven.run.results).toEqual({ main_analyz1: "ok" });
  });

  it("reports the number of frames that a reset dropped", () => {
    const called = run({ agents: [agent({ stack: [frame({ returnTo: "R.md" })] })] });

    const { events } = new RunDriver(called).step({ tag: "reset", target: "NEXT.md" });

    expect(events.at(-1)).toMatchObject({ type: "agent.moved", dropped: 1 });
  });

  it("keeps the last thousand results besides main's", () => {
    const results = Object.fromEntries(
      Array.from({ length: 1_001 }, (_, n) => [`main_w${String(n)}`, "x"]),
    );
    const before = run({
      agents: [agent(), agent({ id: "main_z1" })],
      results: { main: "m", ...results },
    });

    const { run: next } = new RunDriver(before).step(
      { tag: "result", payload: "last" },
      {},
      "main_z1",
    );

    expect(Object.keys(next.results)).toHaveLength(1_001);
    expect(next.results).toMatchObject({ main: "m", main_z1: "last" });
    expect(next.results["main_w1"]).toBeUndefined();
  });
});

describe("the budget", () => {
  it("applies the move that was paid for, then stops", () => {
    const driven = new RunDriver(run()).step(TO_NEXT, { spend: cost(11_000_000) });

    expect(driven.run).toMatchObject({
      stopReason: { class: "budget" },
      agents: [{ state: "NEXT.md" }],
    });
    expect(endRun(driven.run)[0]).toMatchObject({ status: "budget_exceeded" });
  });

  it("is not passed when it is just reached", () => {
    expect(
      new RunDriver(run()).step(TO_NEXT, { spend: cost(10_000_000) }).run.stopReason,
    ).toBeNull();
  });

  it("counts estimates of killed attempts, and keeps them apart", () => {
    const killed = failure("cancelled", {
      spend: partialSpend({ model: "sonnet", tokens: { ...NO_TOKENS, input: 4e6 } }),
    });
    const { run: next } = new RunDriver(run()).start().end(killed, { kind: "cancelled" });

    expect(next.totals).toMatchObject({ costMicroUsd: 0, estimatedMicroUsd: 12_000_000 });
    expect(next.stopReason).toMatchObject({ class: "budget" });
  });

  it("completes a run whose last step exceeds the budget, with a warning", () => {
    const driven = new RunDriver(run()).step(
      { tag: "result", payload: "" },
      { spend: cost(11_000_000) },
    );

    const [ended, events] = endRun(driven.run);

    expect(ended).toMatchObject({ status: "completed", stopReason: null, results: { main: "" } });
    expect(events.map(({ type }) => type)).toEqual(["run.warning", "run.ended"]);
  });

  it("keeps a conversation that was cut off by its share, to be continued", () => {
    const { run: next } = new RunDriver(fresh())
      .start()
      .end(output("Half", { session: "new1", capped: true }), {
        kind: "continue",
        problem: "No tag.",
      });

    expect(next.agents[0]).toMatchObject({
      session: { mode: "resume", id: "new1" },
      delivery: "capped",
      retries: 0,
    });
  });
});

describe("a failing agent", () => {
  const FAIL = { kind: "fail", failure: why("deterministic", "No.") } as const;
  const two = () => run({ agents: [agent(), agent({ id: "main_w1" })] });

  it("stops the run, and keeps the results of steps in flight", () => {
    const driven = new RunDriver(two()).start("main").start("main_w1").end(output(""), FAIL);
    expect(driven.events.at(-1)).toMatchObject({ type: "run.stopping", inFlight: ["main_w1"] });
    expect(endRun(driven.run)[0].status).toBe("running");

    driven.end(output("x"), GO, "main_w1");
    expect(driven.run.agents[1]).toMatchObject({ state: "NEXT.md" });
    expect(endRun(driven.run)[0]).toMatchObject({
      status: "failed",
      stopReason: { class: "deterministic", message: "No.", agent: "main" },
    });
    expect(driven.types().filter((type) => type === "run.stopping")).toHaveLength(1);
  });

  it("lets other agents finish with --keep-going, and then the run fails", () => {
    const before = { ...two(), settings: settings({ keepGoing: true }) };
    const driven = new RunDriver(before).start("main").end(output(""), FAIL);
    expect(driven.run.stopReason).toBeNull();

    driven.step({ tag: "result", payload: "done" }, {}, "main_w1");
    expect(endRun(driven.run)[0]).toMatchObject({
      status: "failed",
      stopReason: { message: "No." },
    });
  });

  it("names the status of the run even when a signal comes later", () => {
    const driven = new RunDriver(two()).start("main_w1").start("main").end(output(""), FAIL);
    const reason = {
      class: "interrupted",
      message: "x",
      agent: null,
      state: null,
      signal: "SIGINT",
    } as const;

    driven
      .apply({ type: "stopped", reason })
      .end(failure("cancelled"), { kind: "cancelled" }, "main_w1");

    expect(endRun(driven.run)[0]).toMatchObject({ status: "failed" });
  });
});

describe("a usage limit", () => {
  const limit = (until: number | null) => ({ kind: "limit", until, message: "Limit." }) as const;

  it("makes the run wait for the reset, and the agent continue in its session", () => {
    const { run: next } = new RunDriver(fresh())
      .start()
      .end(failure("limit", { session: "new1" }), limit(NOON + 3_600_000));

    expect(next.waits["claude"]).toMatchObject({
      class: "limit",
      until: NOON + 3_600_000,
      tries: 1,
    });
    expect(next.agents[0]).toMatchObject({
      activity: { type: "waiting", for: { kind: "limit" } },
      delivery: "interrupted",
    });
    expect(next.stopReason).toBeNull();
  });

  it("tries after 5, 10, 20 and then every 30 minutes when the reset is unknown", () => {
    const driven = new RunDriver(run());
    const pauses = [5, 10, 20, 30, 30].map((minutes) => {
      driven.start().end(failure("limit"), limit(null));
      return [(driven.run.waits["claude"]?.until ?? 0) - NOON, minutes * 60_000];
    });
    for (const [pause, expected] of pauses) expect(pause).toBe(expected);
  });

  it("is over when a step that began after it gets through, not when an earlier one ends", () => {
    const before = run({ agents: [agent(), agent({ id: "main_w1" })] });
    const driven = new RunDriver(before)
      .start("main")
      .start("main_w1")
      .end(failure("limit"), limit(null));

    driven.end(output("x"), GO, "main_w1");
    expect(driven.run.waits["claude"]).toBeDefined();

    driven.start("main_w1").end(output("x"), GO, "main_w1");
    expect(driven.run.waits).toEqual({});
    expect(driven.types()).toContain("run.woke");
  });

  it("stops the run as paused with --no-wait, and is remembered", () => {
    const impatient = run({ settings: settings({ wait: false }) });
    const driven = new RunDriver(impatient).start().end(failure("limit"), limit(NOON + 60_000));

    expect(endRun(driven.run)[0]).toMatchObject({
      status: "paused",
      stopReason: { class: "limit" },
      waits: { claude: { until: NOON + 60_000 } },
    });
  });
});

describe("an outage", () => {
  const OUTAGE = {
    kind: "retry",
    failure: why("outage", "529"),
    delayMs: null,
  } as const;

  it("is tried again with growing intervals, up to five minutes, and counts as no retry", () => {
    const driven = new RunDriver(run());
    const delays = Array.from({ length: 9 }, () => {
      driven.start().end(failure("outage"), OUTAGE);
      return (dueAt(findAgent(driven.run, "main"), NOON) ?? 0) - NOON;
    });
    expect(delays.slice(0, 3)).toEqual([3_750, 7_500, 15_000]);
    expect(delays.at(-1)).toBe(225_000);
    expect(driven.run.agents[0]?.retries).toBe(0);
  });

  it("has not lasted for the time that the machine slept between two tries", () => {
    const driven = new RunDriver(run()).start().end(failure("outage"), OUTAGE);
    const night = NOON + 8 * 3_600_000;
    const pause = (dueAt(findAgent(driven.run, "main"), NOON) ?? 0) - NOON;

    driven.start("main", night);
    driven.end(failure("outage"), OUTAGE, "main", night);

    expect(driven.run.status).toBe("running");
    expect(driven.run.stopReason).toBeNull();
    expect(driven.run.agents[0]?.outage).toMatchObject({ since: night - pause, tries: 2 });
  });

  it("pauses the run after --max-outage", () => {
    const driven = new RunDriver(run()).start().end(failure("outage"), OUTAGE);

    driven.start().end(failure("outage"), OUTAGE, "main", NOON + 7_200_000);

    expect(endRun(driven.run)[0]).toMatchObject({
      status: "paused",
      stopReason: { class: "outage" },
    });
  });
});
