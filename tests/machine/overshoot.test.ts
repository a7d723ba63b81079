import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatUsd } from "../../src/language/basics/money.ts";
import { parseStateFile } from "../../src/language/workflow/files/parse-state-file.ts";
import type { AgentId } from "../../src/machine/model/agent.ts";
import { spent } from "../../src/machine/model/run-state.ts";
import { NO_TOKENS } from "../../src/machine/model/spend.ts";
import { stateLimits } from "../../src/machine/spend/state-limits.ts";
import { plan } from "../../src/machine/steps/plan.ts";
import { agent } from "../support/agents.ts";
import { failure, output } from "../support/outcomes.ts";
import { NOON, RunDriver } from "../support/run-driver.ts";
import { run, settings } from "../support/runs.ts";
import { partialSpend } from "../support/spend.ts";

// What a run may cost beyond its budget, measured on agents that never have
// enough. The client looks at its cap after each answer of the model, and
// raymond checks the budget at every reported answer (docs/budgets.md).

const docs = readFileSync(new URL("../../docs/budgets.md", import.meta.url), "utf8");
const START = { tag: "goto", target: "START.md" } as const;
const MOVE = { kind: "move", transitions: [START], implied: false } as const;
const CONTINUE = { kind: "continue", problem: "Cut off." } as const;
const HALT = { kind: "halt", class: "budget", problem: "Used up." } as const;
const NEVER_RAN = failure("deterministic", { exitCode: null });

interface Greed {
  readonly agents: number;
  /** What one answer of the model costs, micro-dollars. */
  readonly call: number;
  readonly budget: number | null;
  /** The list has the price of the model; else it is known when the first step has ended. */
  readonly listed?: boolean;
  /** The state's own budget, dollars. */
  readonly state?: string;
  /** Whose answer comes next, among those in flight. */
  readonly choices?: readonly number[];
  /** Each step starts after the earlier ones, and no step ends before all have started. */
  readonly oneByOne?: boolean;
}

/** A step in flight: what it may spend, and how many answers it has had. */
interface Flight {
  readonly cap: number;
  readonly answers: number;
}

/**
 * The cost of a run of such agents at its end, micro-dollars. An answer that is interrupted is
 * paid for in full.
 */
function exhaust(greed: Greed): number {
  const { agents, call, budget, listed = true, state, choices = [0], oneByOne = false } = greed;
  const file = parseStateFile(
    "START.md",
    state === undefined ? "Continue." : `---\nbudget: ${state}\n---\nContinue.`,
  );
  const driven = new RunDriver(
    run({
      agents: Array.from({ length: agents }, (_, n) => agent({ id: `a${String(n)}` })),
      settings: settings({ budgetMicroUsd: budget, maxParallel: agents }),
    }),
  );
  const flying = new Map<AgentId, Flight>();
  const inFlight = (answers: number) => {
    const tokens = { ...NO_TOKENS, input: answers * call };
    return partialSpend({ model: "m", tokens, listPrice: listed ? 1 : null });
  };
  const paid = (answers: number) => ({
    ...inFlight(answers),
    unreported: [],
    costMicroUsd: answers * call,
  });
  const begin = (id: AgentId) => {
    const limits = stateLimits(driven.run, file, "START.md", driven.process(id));
    const cap = limits.ok ? (limits.capMicroUsd ?? Infinity) : 0;
    flying.set(id, { cap, answers: 0 });
  };
  for (let turn = 0; ; turn += 1) {
    const { starts } = plan(driven.run, NOON);
    for (const id of starts) {
      driven.start(id);
      if (oneByOne) begin(id);
    }
    if (!oneByOne) for (const id of starts) begin(id);

    const ids = [...flying.keys()];
    const next = ids[(choices[turn % choices.length] ?? 0) % ids.length];
    if (next === undefined) return spent(driven.run);
    const { cap, answers: before } = flying.get(next) ?? { cap: 0, answers: 0 };
    const answers = before + 1;
    if (cap === 0) driven.end(NEVER_RAN, HALT, next);
    else if (answers * call >= cap) {
      driven.end(output("x", { spend: paid(answers), capped: true }), MOVE, next);
    } else {
      const spend = inFlight(answers);
      const process = driven.process(next);
      driven.apply({ type: "spending", agent: next, process, spend });
    }
    if (cap === 0 || answers * call >= cap) flying.delete(next);
    else flying.set(next, { cap, answers });
    if (driven.run.stopReason === null || driven.run.stopReason.state !== null) continue;
    for (const [id, flight] of flying) {
      // The last reporting agent has not started another answer.
      const had = flight.answers + (id === next ? 0 : 1);
      driven.end(output("", { spend: paid(had), capped: true }), CONTINUE, id);
    }
    return spent(driven.run);
  }
}

/** Everybody's turn comes round. */
const IN_TURN = Array.from({ length: 5_040 }, (_, n) => n);

describe("the overshoot of the run's budget", () => {
  it.each([
    [1, 100_000],
    [8, 100_000],
    [16, 100_000],
    [1, 500_000],
    [8, 500_000],
    [16, 500_000],
  ])(
    "of %d agents with answers of %d micro-dollars is the one in docs/budgets.md",
    (agents, call) => {
      const greed = { agents, call, budget: 10_000_000, choices: IN_TURN };
      const known = exhaust(greed);
      const unknown = exhaust({ ...greed, listed: false });
      const most = 10_000_000 + agents * call;

      expect(known).toBeLessThanOrEqual(most);
      expect(docs).toContain(
        `| ${String(agents)} | ${formatUsd(call)} | ${formatUsd(known)} | ${formatUsd(unknown)} | ${formatUsd(most)} |`,
      );
    },
  );

  const anyGreed = fc.record({
    agents: fc.integer({ min: 1, max: 16 }),
    call: fc.integer({ min: 10_000, max: 2_000_000 }),
    budget: fc.integer({ min: 10_000, max: 20_000_000 }),
    choices: fc.array(fc.nat(), { minLength: 1, maxLength: 20 }),
  });

  it("law: is at most one answer of each step in flight if the price of the model is known", () => {
    fc.assert(
      fc.property(anyGreed, (greed) => {
        expect(exhaust(greed)).toBeLessThanOrEqual(greed.budget + greed.agents * greed.call);
      }),
    );
  });

  it("law: is limited by the caps of the first steps if no price is known", () => {
    fc.assert(
      fc.property(anyGreed, (greed) => {
        const { agents, call, budget } = greed;
        // The first may spend all, the second half of it …
        const parts = Array.from({ length: agents }, (_, n) => 1 / (n + 1));
        const caps = budget * parts.reduce((sum, part) => sum + part, 0);

        expect(exhaust({ ...greed, listed: false })).toBeLessThanOrEqual(caps + 2 * agents * call);
      }),
    );
  });
});

describe("the overshoot of a state's budget", () => {
  it.each([1, 4, 16])("of %d agents is the one in docs/budgets.md", (agents) => {
    const greed = { agents, call: 10_000, budget: null, state: "1" };
    const together = exhaust(greed);
    const oneByOne = exhaust({ ...greed, oneByOne: true });

    expect(docs).toContain(
      `| ${String(agents)} | ${formatUsd(together)} | ${formatUsd(oneByOne)} |`,
    );
  });

  it("law: is no more than each step beside others was promised, and a call for each", () => {
    const anyGreed = fc.record({
      agents: fc.integer({ min: 1, max: 16 }),
      call: fc.integer({ min: 10_000, max: 500_000 }),
      budget: fc.constant(null),
      state: fc.constantFrom("0.5", "1", "7.25"),
      choices: fc.array(fc.nat(), { minLength: 1, maxLength: 20 }),
      oneByOne: fc.boolean(),
    });
    fc.assert(
      fc.property(anyGreed, (greed) => {
        // The oldest step in flight was promised all that was left, the next one half of it …
        const promised = Array.from({ length: greed.agents }, (_, n) => 1 / (n + 1));
        const times = promised.reduce((sum, part) => sum + part, greed.agents === 1 ? 0 : 1);
        const most = Number(greed.state) * 1e6 * times + greed.agents * greed.call;

        expect(exhaust(greed)).toBeLessThan(most);
      }),
    );
  });
});
