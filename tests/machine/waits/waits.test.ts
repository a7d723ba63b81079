import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { READY } from "../../../src/machine/model/activity.ts";
import type { Agent } from "../../../src/machine/model/agent.ts";
import type { RunState, Wait } from "../../../src/machine/model/run-state.ts";
import { plan } from "../../../src/machine/steps/plan.ts";
import { waitsOf } from "../../../src/machine/waits/waits.ts";
import { agent, failed, running, waiting } from "../../support/agents.ts";
import { NOON } from "../../support/run-driver.ts";
import { run, settings } from "../../support/runs.ts";

const WAIT: Wait = {
  class: "limit",
  until: NOON + 1_000,
  since: NOON,
  tries: 1,
  process: 4,
  message: "Session limit reached.",
};

function busy(changes: Partial<Agent> = {}, process = 1): Agent {
  return agent({ id: "busy", activity: running({ process }), ...changes });
}

function waits(of: Partial<RunState>, who: Agent, now = NOON) {
  return waitsOf(run({ ...of, agents: [who, ...(of.agents ?? [])] }), now)(who);
}

describe("waitsOf", () => {
  it("is nothing while it may step, works, or has failed", () => {
    expect(waits({}, agent())).toBeNull();
    expect(waits({ waits: { claude: WAIT } }, busy())).toBeNull();
    expect(waits({ waits: { claude: WAIT } }, agent({ activity: failed() }))).toBeNull();
  });

  it("is the end of a usage limit, for prompts and not for scripts", () => {
    const limit = { kind: "limit", until: NOON + 1_000, message: "Session limit reached." };
    expect(waits({ waits: { claude: WAIT } }, agent())).toEqual(limit);
    expect(waits({ waits: { claude: WAIT } }, agent({ state: "A.sh" }))).toBeNull();
  });

  it("is still the limit's end in a run that did not want to wait for it", () => {
    const stopReason = {
      class: "limit",
      message: "",
      agent: null,
      state: null,
    } as const;

    expect(waits({ waits: { claude: WAIT }, stopReason }, agent())).toMatchObject({
      kind: "limit",
    });
  });

  it("is the step that goes first when the limit should be over", () => {
    const probing = { waits: { claude: WAIT }, agents: [busy({ id: "first" }, 5)] };

    expect(waits(probing, agent(), NOON + 2_000)).toEqual({ kind: "probe", agent: "first" });
  });

  it("is the next attempt, after an outage or a crash of the client", () => {
    const until = NOON + 500;
    const outage = { kind: "retry", class: "outage", tries: 3 } as const;
    expect(waits({}, agent({ activity: waiting(until, outage) }))).toEqual({ ...outage, until });
    const crash = { kind: "retry", class: "crash", tries: 2 } as const;
    const crashed = agent({ activity: waiting(until, crash) });
    expect(waits({}, crashed)).toEqual({ ...crash, until });
    expect(waits({}, crashed, until)).toBeNull();
  });

  it("is the limit that the agent hit, even if other agents have passed since", () => {
    const limit = { kind: "limit", message: "Weekly limit reached." } as const;
    const met = agent({ activity: waiting(NOON + 500, limit) });

    expect(waits({}, met)).toEqual({ ...limit, until: NOON + 500 });
  });

  it("is a place among the prompts that may run at once", () => {
    const narrow = { settings: settings({ maxParallel: 1 }), agents: [busy()] };

    expect(waits(narrow, agent())).toEqual({ kind: "place", maxParallel: 1 });
    expect(waits(narrow, agent({ state: "A.sh" }))).toBeNull();
  });

  it("is --max-steps while the last allowed steps are in flight", () => {
    const last = { steps: 4, settings: settings({ maxSteps: 5 }), agents: [busy()] };

    expect(waits(last, agent({ state: "A.sh" }))).toEqual({ kind: "steps", maxSteps: 5 });
  });

  it("is the budget after a budget stop, and only a delay after other stops", () => {
    const at = { message: "The budget is used up.", agent: null, state: null };

    const broke = { stopReason: { ...at, class: "budget" } as const };
    expect(waits(broke, agent())).toEqual({ kind: "money", message: at.message });
    const cancelled = { stopReason: { ...at, class: "interrupted", signal: "SIGINT" } as const };
    expect(waits(cancelled, agent({ activity: waiting(NOON + 500) }))).toBeNull();
    const delayed = agent({ activity: waiting(NOON + 500, { kind: "delay" }) });
    expect(waits(cancelled, delayed)).toEqual({ kind: "delay", until: NOON + 500 });
  });

  it("law: in a live run, an agent waits exactly if plan does not start it", () => {
    const anyOne = fc.record({
      prompt: fc.boolean(),
      flying: fc.option(fc.integer({ min: 1, max: 9 })),
      notBefore: fc.option(fc.integer({ min: NOON - 5, max: NOON + 5 })),
    });
    const anyCase = fc.record({
      crew: fc.array(anyOne, { minLength: 1, maxLength: 6 }),
      maxParallel: fc.integer({ min: 1, max: 4 }),
      maxSteps: fc.option(fc.integer({ min: 5, max: 12 })),
      until: fc.option(fc.integer({ min: NOON - 5, max: NOON + 5 })),
    });
    fc.assert(
      fc.property(anyCase, ({ crew, maxParallel, maxSteps, until }) => {
        const agents = crew.map(({ prompt, flying, notBefore }, n) => {
          const who = { id: `a${String(n)}`, state: prompt ? "A.md" : "A.sh" };
          if (flying !== null) {
            const kind = prompt ? "prompt" : "script";
            return agent({ ...who, activity: running({ process: flying, kind }) });
          }
          return agent({ ...who, activity: notBefore === null ? READY : waiting(notBefore) });
        });
        const before = run({
          agents,
          steps: 3,
          waits: until === null ? {} : { claude: { ...WAIT, since: NOON - 10, until } },
          settings: settings({ maxParallel, maxSteps, budgetMicroUsd: null }),
        });
        const planned = plan(before, NOON);
        if (planned.stop !== null) return;
        const started = new Set(planned.starts);
        const process = 10;
        const after: RunState = {
          ...before,
          agents: agents.map((one) => {
            if (!started.has(one.id)) return one;
            const kind = one.state.endsWith(".md") ? "prompt" : "script";
            return { ...one, activity: running({ process, kind }) };
          }),
        };
        for (const one of after.agents) {
          expect(waitsOf(after, NOON)(one) === null).toBe(one.activity.type === "running");
        }
      }),
    );
  });
});
