import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Agent } from "../../../src/core/machine/agent.ts";
import { named, plan } from "../../../src/core/machine/plan.ts";
import { agent } from "../../support/agents.ts";
import { NOON } from "../../support/driving.ts";
import { run, settings, sums } from "../../support/runs.ts";

function agents(count: number, state = "A.md"): readonly Agent[] {
  return Array.from({ length: count }, (_, n) => agent({ id: `a${String(n)}`, state }));
}

function flying(of: Agent, shareMicroUsd: number | null, process = 1): Agent {
  const startedAt = new Date(NOON).toISOString();
  const inFlight = {
    process,
    kind: "prompt",
    startedAt,
    accepted: true,
    shareMicroUsd,
    reply: null,
    spend: null,
  } as const;
  return { ...of, inFlight };
}

const ids = (of: ReturnType<typeof plan>) => of.starts.map(({ agent: id }) => id);

describe("plan", () => {
  it("starts every script, and prompts up to --max-parallel", () => {
    const mixed = [...agents(3), ...agents(2, "A.sh").map((a) => ({ ...a, id: `${a.id}s` }))];

    const planned = plan(run({ agents: mixed, settings: settings({ maxParallel: 2 }) }), NOON, []);

    expect(ids(planned)).toEqual(["a0s", "a1s", "a0", "a1"]);
  });

  it("lets the agent go first that has been ready for longest", () => {
    const narrow = run({ agents: agents(3), settings: settings({ maxParallel: 1 }) });

    expect(ids(plan(narrow, NOON, ["a2", "a0", "a1"]))).toEqual(["a2"]);
  });

  it("starts nothing in a run that stops, and nothing that failed or is in flight", () => {
    const reason = {
      class: "budget",
      message: "",
      agent: null,
      state: null,
      signal: null,
    } as const;
    expect(plan(run({ agents: agents(2), stopReason: reason }), NOON, []).starts).toEqual([]);
    const busy = [agent({ status: "failed" }), flying(agent({ id: "b" }), null)];
    expect(plan(run({ agents: busy }), NOON, []).starts).toEqual([]);
  });

  it("wakes when the back-off of an agent is over", () => {
    const waiting = run({ agents: [agent({ status: "waiting", notBefore: NOON + 500 })] });

    expect(plan(waiting, NOON, [])).toMatchObject({ starts: [], wakeAt: NOON + 500 });
    expect(plan(waiting, NOON + 500, []).starts).toHaveLength(1);
    expect(named(waiting, plan(waiting, NOON, [])).status).toBe("waiting");
    expect(named(waiting, plan(waiting, NOON + 500, [])).status).toBe("running");
  });

  describe("at a usage limit", () => {
    const wait = {
      class: "limit",
      until: NOON + 1_000,
      since: NOON,
      tries: 1,
      process: 4,
      message: "Limit.",
    } as const;

    it("holds prompts back and lets scripts go on", () => {
      const limited = run({ agents: [agent(), agent({ id: "s", state: "A.sh" })], wait });

      expect(plan(limited, NOON, [])).toMatchObject({ wakeAt: NOON + 1_000 });
      expect(ids(plan(limited, NOON, []))).toEqual(["s"]);
    });

    it("lets one prompt through at its end, and the others only after it", () => {
      const over = run({ agents: agents(3), wait });
      expect(ids(plan(over, NOON + 1_000, []))).toEqual(["a0"]);

      const [first, ...rest] = agents(3);
      const probing = run({ agents: [flying(first as Agent, null, 5), ...rest], wait });
      expect(plan(probing, NOON + 2_000, []).starts).toEqual([]);
    });

    it("stops a run that is not to wait", () => {
      const impatient = run({ wait, settings: settings({ wait: false }) });

      expect(plan(impatient, NOON, []).stop).toMatchObject({ class: "limit", message: "Limit." });
    });
  });

  describe("the shares of the budget", () => {
    const shares = (of: ReturnType<typeof plan>) =>
      of.starts.map(({ shareMicroUsd }) => shareMicroUsd);

    it("are even, at least fifty cents, and none without a budget", () => {
      expect(shares(plan(run({ agents: agents(4) }), NOON, []))).toEqual([
        2.5e6, 2.5e6, 2.5e6, 2.5e6,
      ]);
      const poor = run({ agents: agents(3), settings: settings({ budgetMicroUsd: 1_200_000 }) });
      expect(shares(plan(poor, NOON, []))).toEqual([500_000, 500_000, 200_000]);
      const free = run({ settings: settings({ budgetMicroUsd: null }) });
      expect(shares(plan(free, NOON, []))).toEqual([null]);
    });

    it("leave out what is promised to steps in flight: a step waits until a share is given back", () => {
      const promised = run({ agents: [flying(agent({ id: "x" }), 10_000_000), agent()] });

      expect(plan(promised, NOON, [])).toMatchObject({ starts: [], stop: null });
    });

    it("stop the run when nothing is left and nothing is in flight", () => {
      const empty = run({ totals: sums({ costMicroUsd: 10_000_000 }) });

      expect(plan(empty, NOON, []).stop).toMatchObject({ class: "budget" });
    });

    it("law: all promises together never exceed what is left", () => {
      const anyCase = fc.record({
        budget: fc.integer({ min: 1, max: 50_000_000 }),
        spent: fc.nat({ max: 50_000_000 }),
        held: fc.array(fc.nat({ max: 5_000_000 }), { maxLength: 4 }),
        ready: fc.integer({ min: 1, max: 30 }),
      });
      fc.assert(
        fc.property(anyCase, ({ budget, spent, held, ready }) => {
          const busy = held.map((share, n) => flying(agent({ id: `f${String(n)}` }), share));
          const planned = plan(
            run({
              agents: [...busy, ...agents(ready)],
              settings: settings({ budgetMicroUsd: budget }),
              totals: sums({ costMicroUsd: spent }),
            }),
            NOON,
            [],
          );
          const left = budget - spent - held.reduce((a, b) => a + b, 0);
          const given = planned.starts.reduce(
            (sum, { shareMicroUsd }) => sum + (shareMicroUsd ?? 0),
            0,
          );

          expect(given).toBeLessThanOrEqual(Math.max(0, left));
          for (const { shareMicroUsd } of planned.starts) expect(shareMicroUsd).toBeGreaterThan(0);
          if (left > 0 && held.length < 16) expect(planned.starts.length).toBeGreaterThan(0);
        }),
      );
    });
  });
});
