import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseStateFile } from "../../../src/language/workflow/files/parse-state-file.ts";
import { advance } from "../../../src/machine/advance.ts";
import { READY } from "../../../src/machine/model/activity.ts";
import { failure as why } from "../../../src/machine/model/failure.ts";
import { inFlight } from "../../../src/machine/model/roster.ts";
import type { RunState } from "../../../src/machine/model/run-state.ts";
import { NO_TOKENS } from "../../../src/machine/model/spend.ts";
import { endRun } from "../../../src/machine/moves/stop.ts";
import { stateLimits } from "../../../src/machine/spend/state-limits.ts";
import { recover } from "../../../src/machine/steps/recover.ts";
import { agent } from "../../support/agents.ts";
import { cost, failure } from "../../support/outcomes.ts";
import { RunDriver } from "../../support/run-driver.ts";
import { run, settings, totals } from "../../support/runs.ts";
import { partialSpend } from "../../support/spend.ts";

const PATH = "/repo/workflow/START.md";
const prompt = (...lines: readonly string[]) =>
  parseStateFile("START.md", ["---", ...lines, "---", "Do it."].join("\n"));
const spentIn = (costMicroUsd: number, estimatedMicroUsd = 0) => ({
  models: {},
  backends: {},
  states: { "START.md": totals({ costMicroUsd, estimatedMicroUsd }) },
});
/** A run in which so many agents are in flight at START.md. */
function together(count: number, changes: Partial<RunState> = {}): RunState {
  const agents = Array.from({ length: count }, (_, n) => agent({ id: `a${String(n)}` }));
  const driven = new RunDriver(run({ agents, ...changes }));
  for (const { id } of agents) driven.start(id);
  return driven.run;
}

describe("stateLimits", () => {
  it("is the rest of the run's budget, or none without a budget", () => {
    const poorer = run({ totals: totals({ costMicroUsd: 2_500_000, estimatedMicroUsd: 500_000 }) });

    expect(stateLimits(poorer, prompt(), PATH)).toEqual({ ok: true, capMicroUsd: 7_000_000 });
    const free = run({ settings: settings({ budgetMicroUsd: null }) });
    expect(stateLimits(free, prompt(), PATH)).toEqual({ ok: true, capMicroUsd: null });
  });

  it("subtracts the reported spend of concurrent steps with a known price", () => {
    const priced = together(3, { prices: { sonnet: 3 } });
    const spend = partialSpend({
      model: "sonnet",
      tokens: { ...NO_TOKENS, input: 1_000_000 },
    });
    const [reported] = advance(priced, { type: "spending", agent: "a0", process: 1, spend });

    expect(stateLimits(reported, prompt(), PATH)).toMatchObject({ capMicroUsd: 7_000_000 });
  });

  it("is divided equally among steps without a known price", () => {
    const unseen = together(4);
    const caps = inFlight(unseen).map(({ activity: { process } }) =>
      stateLimits(unseen, prompt(), PATH, process),
    );

    expect(caps).toMatchObject([
      { capMicroUsd: 10_000_000 },
      { capMicroUsd: 5_000_000 },
      { capMicroUsd: 3_333_333 },
      { capMicroUsd: 2_500_000 },
    ]);
  });

  it("is at most the rest of the state's budget, including estimates", () => {
    const run1 = run({ sums: spentIn(600_000, 100_000) });
    const poor = settings({ budgetMicroUsd: 200_000 });

    expect(stateLimits(run1, prompt("budget: 1"), PATH)).toMatchObject({ capMicroUsd: 300_000 });
    expect(stateLimits({ ...run1, settings: poor }, prompt("budget: 1"), PATH)).toMatchObject({
      capMicroUsd: 200_000,
    });
    const free = settings({ budgetMicroUsd: null });
    expect(stateLimits({ ...run1, settings: free }, prompt("budget: 1"), PATH)).toMatchObject({
      capMicroUsd: 300_000,
    });
  });

  it("halts a step whose state has used up its budget, and names the file to edit", () => {
    expect(stateLimits(run({ sums: spentIn(1_000_000) }), prompt("budget: 1"), PATH)).toEqual({
      ok: false,
      halt: {
        class: "budget",
        problem: `START.md has used up its budget of $1.00: $1.00 spent. To continue, raise it in ${PATH} and resume.`,
      },
    });
  });

  it("counts a visit with the one that asks, and halts the first too many", () => {
    const visited = (visits: number) => run({ visits: { "START.md": visits } });

    expect(stateLimits(visited(3), prompt("max_visits: 3"), PATH).ok).toBe(true);
    expect(stateLimits(visited(4), prompt("max_visits: 3"), PATH)).toMatchObject({
      ok: false,
      halt: {
        class: "step-limit",
        problem: expect.stringMatching(
          /max_visits: 3 visits\. Resuming resets the count/,
        ) as string,
      },
    });
  });

  it("counts the visits of scripts too, which have no budget", () => {
    const script = parseStateFile("POLL.sh", "# raymond: max_visits=1");

    expect(stateLimits(run({ visits: { "POLL.sh": 1 } }), script, PATH).ok).toBe(true);
    expect(stateLimits(run({ visits: { "POLL.sh": 2 } }), script, PATH).ok).toBe(false);
  });

  it("law: of agents that enter a state together, as many get in as max_visits still allows", () => {
    const anyCase = fc.record({
      count: fc.integer({ min: 1, max: 8 }),
      earlier: fc.nat({ max: 4 }),
      max: fc.integer({ min: 1, max: 8 }),
    });
    fc.assert(
      fc.property(anyCase, ({ count, earlier, max }) => {
        const file = prompt(`max_visits: ${String(max)}`);
        const now = together(count, { visits: { "START.md": earlier } });

        const got = inFlight(now).map(({ activity: { process } }) => {
          return stateLimits(now, file, PATH, process).ok;
        });

        const room = Math.max(0, max - earlier);
        expect(got).toEqual(now.agents.map((_, index) => index < room));
      }),
    );
  });

  it("law: steps that start together in one state get together no more than is left of its budget", () => {
    const anyCase = fc.record({
      count: fc.integer({ min: 1, max: 20 }),
      budget: fc.integer({ min: 1, max: 5_000_000 }),
      spent: fc.nat({ max: 5_000_000 }),
    });
    fc.assert(
      fc.property(anyCase, ({ count, budget, spent }) => {
        const file = prompt(`budget: ${(budget / 1e6).toFixed(6)}`);
        const of = together(count, { sums: spentIn(spent) });
        const left = budget - spent;

        const got = stateLimits(of, file, PATH);

        expect(got.ok).toBe(left > 0);
        // A part is at least one micro-dollar: the client refuses none at all.
        if (got.ok)
          expect(count * (got.capMicroUsd ?? 0)).toBeLessThanOrEqual(Math.max(left, count));
      }),
    );
  });
});

describe("a step that may not start", () => {
  const visits = { kind: "halt", class: "step-limit", problem: "Too often." } as const;
  const budget = { kind: "halt", class: "budget", problem: "Too dear." } as const;
  const neverRan = failure("deterministic", { exitCode: null });

  it("rolls back the start of the step, and pauses the run", () => {
    const before = run({ agents: [agent({ pendingResult: "x" })], visits: { "START.md": 3 } });

    const driven = new RunDriver(before).start().end(neverRan, visits);

    expect(driven.run).toMatchObject({
      agents: [{ activity: READY, starts: 0, pendingResult: "x" }],
      visits: { "START.md": 3 },
      steps: 0,
    });
    expect(endRun(driven.run)[0]).toMatchObject({
      status: "paused",
      stopReason: { class: "step-limit", message: "Too often.", agent: "main", state: "START.md" },
    });
  });

  it("is reported of a budget by the status, and of one of a new session by no id", () => {
    const fresh = run({ agents: [agent({ session: { mode: "fresh", id: null } })] });

    const driven = new RunDriver(fresh).start().end(neverRan, budget);

    expect(driven.run.agents[0]?.session).toEqual({ mode: "fresh", id: null });
    expect(endRun(driven.run)[0]).toMatchObject({ status: "budget_exceeded" });
  });

  it("keeps the start and the visit of an earlier attempt", () => {
    const driven = new RunDriver(run()).start().end(failure("crash"), {
      kind: "retry",
      failure: why("crash", "x"),
      delayMs: null,
    });

    driven.start().end(neverRan, budget);

    expect(driven.run).toMatchObject({ agents: [{ starts: 1 }], visits: { "START.md": 1 } });
  });

  it("does not count a call that was not accepted", () => {
    const called = run({ calls: { "START.md": 2 } });

    const driven = new RunDriver(called).start().end(neverRan, visits);

    expect(driven.run.calls).toEqual({ "START.md": 2 });
  });

  it("does not end a wait: nothing has got through", () => {
    const wait = {
      class: "limit",
      until: 1,
      since: 1,
      tries: 1,
      process: 0,
      message: "Limit.",
    } as const;

    const driven = new RunDriver(run({ waits: { claude: wait } })).start().end(neverRan, budget);

    expect(driven.run.waits["claude"]).toEqual(wait);
  });

  it("law: a resume after max_visits grants as many visits again", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 4 }), (max, rounds) => {
        const file = prompt(`max_visits: ${String(max)}`);
        const again = { tag: "goto", target: "START.md" } as const;
        let state = run();
        for (let round = 1; round <= rounds; round += 1) {
          const driven = new RunDriver(state);
          for (;;) {
            const asked = new RunDriver(driven.run).start();
            if (!stateLimits(asked.run, file, PATH).ok) break;
            driven.step(again);
          }
          expect(driven.run.steps).toBe(round * max);
          driven.start().end(neverRan, visits);
          state = recover(endRun(driven.run)[0], {});
        }
      }),
    );
  });
});

describe("a prompt state that is entered often", () => {
  const enter = (state: string, before: number) =>
    new RunDriver(run({ agents: [agent({ state })], visits: { [state]: before } })).start().events;

  it("is worth one warning, at the hundredth time", () => {
    expect(enter("A.md", 98)).toHaveLength(1);
    expect(enter("A.md", 99)[1]).toMatchObject({
      type: "run.warning",
      message: "A.md was entered 100 times in this run.",
      hint: expect.stringContaining("max_visits") as string,
    });
    expect(enter("A.md", 100)).toHaveLength(1);
  });

  it("is none when it is a script, or only another attempt", () => {
    expect(enter("A.sh", 99)).toHaveLength(1);
    const retried = run({ agents: [agent({ starts: 1 })], visits: { "START.md": 99 } });
    expect(new RunDriver(retried).start()).toMatchObject({
      events: [{ type: "step.started" }],
      run: { visits: { "START.md": 99 } },
    });
  });

  it("counts the budget per state", () => {
    const driven = new RunDriver(run()).step(
      { tag: "goto", target: "NEXT.md" },
      { spend: cost(400_000) },
    );

    expect(stateLimits(driven.run, prompt("budget: 1"), PATH)).toMatchObject({
      capMicroUsd: 600_000,
    });
  });
});
