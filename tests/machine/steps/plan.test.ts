import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Agent } from "../../../src/machine/model/agent.ts";
import { NO_TOKENS, type SpendReport } from "../../../src/machine/model/spend.ts";
import { nextWakeTime, plan } from "../../../src/machine/steps/plan.ts";
import { schedule } from "../../../src/machine/steps/schedule.ts";
import { agent, failed, running, waiting } from "../../support/agents.ts";
import { NOON } from "../../support/run-driver.ts";
import { run, settings, totals } from "../../support/runs.ts";
import { partialSpend } from "../../support/spend.ts";

function agents(count: number, state = "A.md"): readonly Agent[] {
  return Array.from({ length: count }, (_, n) => agent({ id: `a${String(n)}`, state }));
}

function flying(of: Agent, spend: SpendReport | null = null, process = 1): Agent {
  return { ...of, activity: running({ process, spend }) };
}

/** So many uncached input tokens of a model whose list price is $3 a million. */
function spending(input: number): SpendReport {
  const tokens = { ...NO_TOKENS, input };
  return partialSpend({ model: "sonnet", tokens, listPrice: 3 });
}

describe("plan", () => {
  it("starts every script, and prompts up to --max-parallel", () => {
    const mixed = [...agents(3), ...agents(2, "A.sh").map((a) => ({ ...a, id: `${a.id}s` }))];

    const planned = plan(run({ agents: mixed, settings: settings({ maxParallel: 2 }) }), NOON);

    expect(planned.starts).toEqual(["a0s", "a1s", "a0", "a1"]);
  });

  it("starts the agent first that has been ready longest", () => {
    const since = [5, 7, 2];
    const ready = agents(3).map((each, n) => ({ ...each, readySince: since[n] ?? 0 }));
    const narrow = run({ agents: ready, settings: settings({ maxParallel: 1 }) });

    expect(plan(narrow, NOON).starts).toEqual(["a2"]);
  });

  it("starts nothing in a run that stops, and nothing that failed or is in flight", () => {
    const reason = {
      class: "budget",
      message: "",
      agent: null,
      state: null,
    } as const;
    expect(plan(run({ agents: agents(2), stopReason: reason }), NOON).starts).toEqual([]);
    const busy = [agent({ activity: failed() }), flying(agent({ id: "b" }))];
    expect(plan(run({ agents: busy }), NOON).starts).toEqual([]);
  });

  it("wakes when the back-off of an agent is over", () => {
    const delayed = run({ agents: [agent({ activity: waiting(NOON + 500) })] });

    expect(plan(delayed, NOON).starts).toEqual([]);
    expect(nextWakeTime(delayed, NOON)).toBe(NOON + 500);
    expect(plan(delayed, NOON + 500).starts).toHaveLength(1);
    expect(schedule(delayed, { at: NOON, sessions: [] })[0].status).toBe("waiting");
    expect(schedule(delayed, { at: NOON + 500, sessions: ["s"] })[0].status).toBe("running");
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

    it("blocks prompts and lets scripts continue", () => {
      const limited = run({
        agents: [agent(), agent({ id: "s", state: "A.sh" })],
        waits: { claude: wait },
      });

      expect(nextWakeTime(limited, NOON)).toBe(NOON + 1_000);
      expect(plan(limited, NOON).starts).toEqual(["s"]);
    });

    it("starts one prompt at its end, and the others after it", () => {
      const over = run({ agents: agents(3), waits: { claude: wait } });
      expect(plan(over, NOON + 1_000).starts).toEqual(["a0"]);

      const [first, ...rest] = agents(3);
      const probing = run({
        agents: [flying(first as Agent, null, 5), ...rest],
        waits: { claude: wait },
      });
      expect(plan(probing, NOON + 2_000).starts).toEqual([]);
    });

    it("stops a run that is not to wait", () => {
      const impatient = run({ waits: { claude: wait }, settings: settings({ wait: false }) });

      expect(plan(impatient, NOON).stop).toMatchObject({ class: "limit", message: "Limit." });
    });
  });

  describe("under a budget", () => {
    const budgeted = (budgetMicroUsd: number, all: readonly Agent[], costMicroUsd = 0) =>
      run({
        agents: all,
        settings: settings({ budgetMicroUsd }),
        totals: totals({ costMicroUsd }),
      });

    it("makes no step wait for another's share: all start while anything is left", () => {
      expect(plan(budgeted(1, agents(16)), NOON).starts).toHaveLength(16);
      const beside = [flying(agent({ id: "x" }), spending(3_000_000)), agent()];
      expect(plan(budgeted(10_000_000, beside), NOON).starts).toEqual(["main"]);
    });

    it("starts no prompt step once the known spend has reached it", () => {
      const beside = [
        flying(agent({ id: "x" }), spending(3_000_000)),
        agent(),
        agent({ id: "s", state: "A.sh" }),
      ];

      expect(plan(budgeted(9_000_000, beside), NOON)).toMatchObject({
        starts: ["s"],
        stop: null,
      });
    });

    it("stops the run when nothing is left and nothing is in flight", () => {
      const empty = budgeted(10_000_000, [agent()], 10_000_000);

      expect(plan(empty, NOON).stop).toMatchObject({ class: "budget" });
    });

    it("law: only the known spend decides whether prompts start", () => {
      const anyCase = fc.record({
        budget: fc.integer({ min: 1, max: 50_000_000 }),
        spent: fc.nat({ max: 50_000_000 }),
        held: fc.array(fc.nat({ max: 5_000_000 }), { maxLength: 4 }),
        ready: fc.integer({ min: 1, max: 12 }),
      });
      fc.assert(
        fc.property(anyCase, ({ budget, spent, held, ready }) => {
          const busy = held.map((tokens, n) =>
            flying(agent({ id: `f${String(n)}` }), spending(tokens)),
          );
          const planned = plan(budgeted(budget, [...busy, ...agents(ready)], spent), NOON);
          const left = budget - spent - held.reduce((sum, tokens) => sum + 3 * tokens, 0);

          expect(planned.starts).toHaveLength(left > 0 ? ready : 0);
        }),
      );
    });
  });
});
