import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentId } from "../../../src/core/machine/agent.ts";
import { allow } from "../../../src/core/machine/allowance.ts";
import { plan } from "../../../src/core/machine/plan.ts";
import { spent } from "../../../src/core/machine/run-state.ts";
import { formatUsd } from "../../../src/core/money.ts";
import { parseStateFile } from "../../../src/core/workflow/parse-state-file.ts";
import { agent } from "../../support/agents.ts";
import { Driven, NOON } from "../../support/driving.ts";
import { cost, failure, output } from "../../support/outcomes.ts";
import { run, settings } from "../../support/runs.ts";

// What a run may cost beyond its budget, measured on agents that never have
// enough. The client looks at its cap after each call of the model (contract,
// section 1), so a step costs its share and at most one call more.

const docs = readFileSync(new URL("../../../docs/budgets.md", import.meta.url), "utf8");
const START = { tag: "goto", target: "START.md" } as const;
const MOVE = { kind: "move", transition: START, implied: false } as const;
const HALT = { kind: "halt", class: "budget", problem: "Used up." } as const;
const NEVER_RAN = failure("deterministic", { exitCode: null });

interface Greed {
  readonly agents: number;
  /** What one call of the model costs, micro-dollars. */
  readonly call: number;
  readonly budget: number | null;
  /** The state's own budget, dollars. */
  readonly state?: string;
  /** Which of those in flight ends next. */
  readonly choices?: readonly number[];
  /** A step starts only when those before it are under way, and none ends before all are. */
  readonly oneByOne?: boolean;
}

/** What a run of such agents has cost when it can go on no longer, micro-dollars. */
function exhaust({ agents, call, budget, state, choices = [0], oneByOne = false }: Greed): number {
  const file = parseStateFile(
    "START.md",
    state === undefined ? "Go on." : `---\nbudget: ${state}\n---\nGo on.`,
  );
  const driven = new Driven(
    run({
      agents: Array.from({ length: agents }, (_, n) => agent({ id: `a${String(n)}` })),
      settings: settings({ budgetMicroUsd: budget, maxParallel: agents }),
    }),
  );
  /** What each step in flight may spend. */
  const flying = new Map<AgentId, number>();
  for (let ended = 0; ; ended += 1) {
    const { starts } = plan(driven.run, NOON, []);
    for (const { agent: id, shareMicroUsd } of starts) {
      driven.start(id, shareMicroUsd);
      if (oneByOne) flying.set(id, allowed(shareMicroUsd));
    }
    if (!oneByOne)
      for (const start of starts) flying.set(start.agent, allowed(start.shareMicroUsd));

    const ids = [...flying.keys()];
    const ends = ids[(choices[ended % choices.length] ?? 0) % ids.length];
    if (ends === undefined) return spent(driven.run);
    const share = flying.get(ends) ?? 0;
    flying.delete(ends);
    if (share === 0) driven.end(NEVER_RAN, HALT, ends);
    else driven.end(output("x", { spend: cost(Math.ceil(share / call) * call) }), MOVE, ends);
  }

  /** 0 where the state lets it spend nothing. */
  function allowed(share: number | null): number {
    const allowance = allow(driven.run, file, "START.md", share);
    return allowance.ok ? (allowance.shareMicroUsd ?? 0) : 0;
  }
}

describe("the overshoot of the run's budget", () => {
  it.each([
    [1, 100_000],
    [4, 100_000],
    [16, 100_000],
    [1, 500_000],
    [4, 500_000],
    [16, 500_000],
  ])(
    "of %d agents with calls of %d micro-dollars is the one in docs/budgets.md",
    (agents, call) => {
      const total = exhaust({ agents, call, budget: 10_000_000 });
      const most = 10_000_000 + agents * call;

      expect(total).toBeLessThan(most);
      expect(docs).toContain(
        `| ${String(agents)} | ${formatUsd(call)} | ${formatUsd(total)} | ${formatUsd(most)} |`,
      );
    },
  );

  it("law: is less than one call of the model for each step that runs side by side", () => {
    const anyGreed = fc.record({
      agents: fc.integer({ min: 1, max: 16 }),
      call: fc.integer({ min: 10_000, max: 2_000_000 }),
      budget: fc.integer({ min: 10_000, max: 20_000_000 }),
      choices: fc.array(fc.nat(), { minLength: 1, maxLength: 20 }),
    });
    fc.assert(
      fc.property(anyGreed, (greed) => {
        expect(exhaust(greed)).toBeLessThan(greed.budget + greed.agents * greed.call);
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
