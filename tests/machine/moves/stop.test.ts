import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentId } from "../../../src/machine/model/agent.ts";
import { budgetWarning, endRun, failRun, stopReason } from "../../../src/machine/moves/stop.ts";
import { nextWakeTime, plan } from "../../../src/machine/steps/plan.ts";
import { recover } from "../../../src/machine/steps/recover.ts";
import { schedule } from "../../../src/machine/steps/schedule.ts";
import { agent, failed } from "../../support/agents.ts";
import { cost, output } from "../../support/outcomes.ts";
import { NOON, RunDriver } from "../../support/run-driver.ts";
import { run, settings, totals } from "../../support/runs.ts";

const AGAIN = { tag: "goto", target: "START.md" } as const;

describe("a stop while no process drives the run", () => {
  const reason = {
    class: "interrupted",
    message: "x",
    agent: null,
    state: null,
    signal: "SIGTERM",
  } as const;

  it.each(["running", "waiting", "paused"] as const)("interrupts a run that is %s", (status) => {
    const crashed = new RunDriver(run()).start().run;

    const stopped = new RunDriver({ ...crashed, status }).apply({
      type: "stopped",
      reason,
      idle: true,
    });

    expect(stopped.run).toMatchObject({ status: "interrupted", stopReason: reason });
    expect(stopped.run.agents).toEqual(crashed.agents);
    expect(stopped.events.at(-1)).toMatchObject({ type: "run.ended", status: "interrupted" });
  });

  it.each(["failed", "interrupted", "budget_exceeded", "completed"] as const)(
    "changes no run that is %s",
    (status) => {
      const before = run({ status });

      const { run: after } = new RunDriver(before).apply({ type: "stopped", reason, idle: true });
      expect(after).toEqual(before);
    },
  );
});

describe("--max-steps", () => {
  const limited = (maxSteps: number, steps = 0, count = 1) =>
    run({
      settings: settings({ maxSteps, budgetMicroUsd: null }),
      steps,
      agents: Array.from({ length: count }, (_, n) => agent({ id: `a${String(n)}` })),
    });

  it("pauses a run at --max-steps, with the limit in the message", () => {
    const { stop } = plan(limited(3, 3), NOON);

    expect(stop).toMatchObject({
      class: "step-limit",
      message: "Step limit reached: 3 steps (--max-steps 3).",
      state: null,
    });
    expect(plan(limited(1, 1), NOON).stop?.message).toMatch(/Step limit reached: 1 step /);
    if (stop === null) throw new Error("it does not stop");
    const stopped = new RunDriver(limited(3, 3)).apply({ type: "stopped", reason: stop }).run;
    expect(endRun(stopped)[0]).toMatchObject({ status: "paused", agents: [{ id: "a0" }] });
  });

  it("continues after a resume with a larger budget, and stops at once without one", () => {
    const [paused] = endRun({ ...limited(3, 3), status: "paused" });

    expect(plan(recover(paused, {}), NOON).stop).toMatchObject({ class: "step-limit" });
    expect(plan(recover(paused, { maxSteps: 6 }), NOON)).toMatchObject({
      stop: null,
      starts: ["a0"],
    });
    expect(plan(recover(paused, { maxSteps: null }), NOON).stop).toBeNull();
  });

  it("is no reason if the run is over or no agent can continue", () => {
    expect(plan(limited(3, 3, 0), NOON).stop).toBeNull();
    const broken = { ...limited(3, 3), agents: [agent({ activity: failed() })] };
    expect(plan(broken, NOON).stop).toBeNull();
  });

  it("law: a run makes exactly --max-steps steps, with any number of agents", () => {
    const anyCase = fc.record({
      max: fc.integer({ min: 1, max: 20 }),
      count: fc.integer({ min: 1, max: 8 }),
      choices: fc.array(fc.nat(), { minLength: 1, maxLength: 30 }),
    });
    fc.assert(
      fc.property(anyCase, ({ max, count, choices }) => {
        const driven = new RunDriver(limited(max, 0, count));
        const flying: AgentId[] = [];
        for (;;) {
          const { starts, stop } = plan(driven.run, NOON);
          if (stop !== null) break;
          for (const id of starts) {
            driven.start(id);
            flying.push(id);
          }
          const choice = choices[driven.run.steps % choices.length] ?? 0;
          const [ends] = flying.splice(choice % flying.length, 1);
          if (ends === undefined) throw new Error("no step is in flight");
          driven.end(output("x"), { kind: "move", transitions: [AGAIN], implied: false }, ends);
        }

        expect(driven.run.steps).toBe(max);
        expect(flying).toEqual([]);
      }),
    );
  });
});

describe("a run that has ended", () => {
  it.each(["completed", "failed", "paused", "interrupted", "budget_exceeded"] as const)(
    "stays %s: nothing starts, and no name changes",
    (status) => {
      const over = run({ status });

      expect(plan(over, NOON)).toMatchObject({ starts: [], stop: null });
      expect(nextWakeTime(over, NOON)).toBeNull();
      expect(schedule(over, { at: NOON, sessions: [] })).toEqual([over, []]);
      expect(endRun(over)).toEqual([over, []]);
    },
  );

  it.each([
    ["crash", "failed"],
    ["deterministic", "failed"],
    ["lost-session", "failed"],
    ["limit", "paused"],
    ["outage", "paused"],
    ["step-limit", "paused"],
    ["budget", "budget_exceeded"],
    ["interrupted", "interrupted"],
    ["cancelled", "interrupted"],
  ] as const)("by %s is called %s", (of, status) => {
    const reason =
      of === "interrupted"
        ? ({ class: of, message: "x", agent: null, state: null, signal: "SIGINT" } as const)
        : stopReason(of, "x", agent());

    expect(endRun(run({ stopReason: reason }))[0]).toMatchObject({ status, stopReason: reason });
  });

  it("by its budget reports the final spend", () => {
    const message = "The budget of $10.00 is used up: $10.02 spent.";
    const stopReason = {
      class: "budget",
      message,
      agent: null,
      state: null,
    } as const;
    const spent = totals({ costMicroUsd: 12_000_000 });

    expect(endRun(run({ stopReason, totals: spent }))[0].stopReason?.message).toBe(
      "The budget of $10.00 is used up: $12.00 spent.",
    );
  });
});

describe("a run without a budget", () => {
  it("completes without a warning at any cost", () => {
    const free = run({
      settings: settings({ budgetMicroUsd: null }),
      totals: totals({ costMicroUsd: 1e12 }),
      agents: [],
    });

    expect(endRun(free)).toMatchObject([{ status: "completed" }, [{ type: "run.ended" }]]);
  });
});

describe("the warning before the budget is used up", () => {
  const at = (costMicroUsd: number, budgetMicroUsd: number | null = 10_000_000) =>
    run({ totals: totals({ costMicroUsd }), settings: settings({ budgetMicroUsd }) });

  it("comes when a step carries the run over 80 %", () => {
    expect(budgetWarning(at(7_999_999), at(8_000_000))).toEqual([
      { type: "budget.near", spentMicroUsd: 8_000_000, budgetMicroUsd: 10_000_000 },
    ]);
    expect(budgetWarning(at(8_000_000), at(8_000_001))).toEqual([]);
    expect(budgetWarning(at(0), at(7_999_999))).toEqual([]);
  });

  it("is omitted if one step exceeds the budget, which stops the run", () => {
    expect(budgetWarning(at(0), at(10_000_000))).toHaveLength(1);
    expect(budgetWarning(at(0), at(10_000_001))).toEqual([]);
  });

  it("does not come without a budget", () => {
    expect(budgetWarning(at(0, null), at(1e12, null))).toEqual([]);
  });

  it("law: is emitted at most once per run, at any cost of steps", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 3_000_000 }), { maxLength: 20 }), (costs) => {
        const driven = new RunDriver(run());
        for (const microUsd of costs) {
          if (driven.run.stopReason === null) driven.step(AGAIN, { spend: cost(microUsd) });
        }
        const warnings = driven.types().filter((type) => type === "budget.near");

        expect(warnings.length).toBeLessThanOrEqual(1);
        const spent = driven.run.totals.costMicroUsd;
        if (spent >= 8_000_000 && spent <= 10_000_000) expect(warnings).toHaveLength(1);
      }),
    );
  });
});

describe("a run that is failed from outside", () => {
  it("reports the reason, and keeps steps in flight", () => {
    const before = run({ agents: [agent()] });

    const [failed, events] = failRun(before, "Its folder is not there.");

    expect(failed).toMatchObject({
      ...{ status: "failed", agents: before.agents },
      stopReason: { class: "crash", message: "Its folder is not there." },
    });
    expect(events).toMatchObject([
      { type: "run.ended", status: "failed", reason: failed.stopReason },
    ]);
  });
});
