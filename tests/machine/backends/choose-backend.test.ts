import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withWait } from "../../../src/machine/backends/backend-waits.ts";
import { candidatesOf } from "../../../src/machine/backends/choose-backend.ts";
import { type Agent, FRESH, type Session } from "../../../src/machine/model/agent.ts";
import { ownerOf } from "../../../src/machine/model/owners.ts";
import type { RunState } from "../../../src/machine/model/run-state.ts";
import { nextWakeTime, plan } from "../../../src/machine/steps/plan.ts";
import { schedule } from "../../../src/machine/steps/schedule.ts";
import { waitsOf } from "../../../src/machine/waits/waits.ts";
import { agent } from "../../support/agents.ts";
import { failure, output } from "../../support/outcomes.ts";
import { NOON, RunDriver } from "../../support/run-driver.ts";
import { run, settings } from "../../support/runs.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BOTH = { "B.md": ["claude", "codex"] };

const limited = (until: number, since = NOON) =>
  ({ class: "limit", until, since, tries: 1, process: 0, message: "Full." }) as const;

const claude = (until: number, since = NOON) => ({ claude: limited(until, since) });

const prompt = (id: string, changes: Partial<Agent> = {}) =>
  agent({ id, state: "B.md", session: FRESH, ...changes });

/** Starts what may start, with as many new sessions as needed. */
function look(of: RunState, at = NOON, changes = {}): RunDriver {
  const sessions = of.agents.map((_, index) => `s${String(of.processes)}-${String(index)}`);
  return new RunDriver(of).apply({ type: "looked", at, sessions, ...changes });
}

const backends = (of: RunState) =>
  of.agents.map(({ activity }) => (activity.type === "running" ? activity.backend : null));

describe("the coding agent of a step", () => {
  it("is that of its state, and is recorded with the step and as owner of the conversation", () => {
    const { run: after, events } = look(run({ agents: [prompt("main")] }), NOON, {
      backends: { "B.md": ["codex"] },
    });

    expect(after.agents[0]).toMatchObject({ activity: { backend: "codex" } });
    expect(after.owners).toEqual({ "s0-0": "codex" });
    expect(after.candidates).toEqual({ "B.md": ["codex"] });
    expect(events).toMatchObject([{ type: "step.started", backend: "codex" }]);
  });

  it("is not named by events if it is the default agent of the run", () => {
    const { run: after, events } = look(run({ agents: [prompt("main")] }), NOON, {
      backends: { "B.md": ["claude"] },
    });

    expect(backends(after)).toEqual(["claude"]);
    expect(events[0]).not.toHaveProperty("backend");
  });

  it("is the owner of a conversation that continues or branches, whatever the state names", () => {
    const owners = { old: "codex" };
    for (const session of [
      { mode: "resume", id: "old" },
      { mode: "branch", source: "old", id: null },
    ] as const) {
      const found = look(run({ agents: [prompt("main", { session })], owners, candidates: BOTH }));
      expect(backends(found.run)).toEqual(["codex"]);
      const { id } = found.run.agents[0]?.session ?? {};
      expect(ownerOf(found.run, id ?? "")).toBe("codex");
    }
  });
});

describe("a usage limit of one coding agent", () => {
  it("does not delay prompts of another", () => {
    const agents = [prompt("main"), prompt("other", { state: "C.md" })];
    const of = run({ agents, candidates: { "C.md": ["codex"] }, waits: claude(NOON + HOUR) });

    expect(plan(of, NOON).starts).toEqual(["other"]);
    expect(nextWakeTime(of, NOON)).toBe(NOON + HOUR);
    const waits = waitsOf(of, NOON);
    expect(agents.map(waits)).toMatchObject([{ kind: "limit" }, null]);
  });

  it("is named by the waits and events of another coding agent than the default", () => {
    const of = run({ agents: [prompt("main")], candidates: { "B.md": ["codex"] } });
    const driven = look(of).end(failure("limit"), {
      kind: "limit",
      until: NOON + HOUR,
      message: "Full.",
    });

    expect(driven.run).toMatchObject({ waits: { codex: { until: NOON + HOUR } } });
    expect(driven.events.at(-1)).toMatchObject({ type: "run.waiting", backend: "codex" });
    expect(waitsOf(driven.run, NOON)(driven.run.agents[0] ?? agent())).toMatchObject({
      backend: "codex",
    });

    const later = look(driven.run, NOON + HOUR);
    later.end(
      output("x"),
      { kind: "remind", fault: { code: "no-tag", message: "" } },
      "main",
      NOON + HOUR,
    );
    expect(later.run.waits).toEqual({});
    expect(later.events).toContainEqual({ type: "run.woke", class: "limit", backend: "codex" });
  });

  it("is probed by one prompt while others go to the next candidate", () => {
    const agents = [prompt("a"), prompt("b"), prompt("c", { readySince: 1 })];
    const of = run({ agents, candidates: BOTH, waits: claude(NOON - 1, NOON - HOUR) });

    expect(backends(look(of).run)).toEqual(["claude", "codex", "codex"]);
  });
});

describe("a list of coding agents", () => {
  it.each([
    ["5m or longer", 5 * MINUTE, "codex"],
    ["shorter than 5m", 5 * MINUTE - 1, null],
  ])("uses the second one if the first waits %s", (_, ms, expected) => {
    const of = run({ agents: [prompt("main")], candidates: BOTH, waits: claude(NOON + ms) });

    const { run: after, events } = look(of, NOON + 1);
    expect(backends(after)).toEqual([expected]);
    if (expected === null) return;
    expect(events[0]).toMatchObject({ backend: "codex", insteadOf: "claude" });
  });

  it("retries a limited step at once with the next one, even with --no-wait", () => {
    const impatient = settings({ wait: false });
    const of = run({ agents: [prompt("main")], candidates: BOTH, settings: impatient });
    const driven = look(of).end(failure("limit"), {
      kind: "limit",
      until: NOON + HOUR,
      message: "Full.",
    });

    expect(driven.run.stopReason).toBeNull();
    expect(backends(look(driven.run).run)).toEqual(["codex"]);
  });

  it("waits for the one whose limit ends first if all are limited", () => {
    const of = run({
      ...{ agents: [prompt("main")], candidates: BOTH },
      waits: { claude: limited(NOON + 3 * HOUR), codex: limited(NOON + HOUR) },
    });

    expect(plan(of, NOON).starts).toEqual([]);
    expect(nextWakeTime(of, NOON)).toBe(NOON + HOUR);
    expect(backends(look(of, NOON + HOUR).run)).toEqual(["codex"]);
  });

  it("uses the next one after an outage of fallback_after, and still ends at max_outage", () => {
    const retry = (message: string) => ({
      kind: "retry" as const,
      failure: { class: "outage" as const, message, hint: null },
      delayMs: null,
    });
    let driven = new RunDriver(run({ agents: [prompt("main")], candidates: BOTH }));
    const used = new Set<string>();
    let at = NOON;
    while (driven.run.stopReason === null && at < NOON + 4 * HOUR) {
      driven = look(driven.run, at);
      used.add(backends(driven.run)[0] ?? "idle");
      driven.end(failure("outage"), retry("Down."), "main", at);
      const next = nextWakeTime(driven.run, at);
      if (next === null) break;
      at = next;
      if (at < NOON + 5 * MINUTE) expect(used).toEqual(new Set(["claude"]));
    }
    expect(used).toEqual(new Set(["claude", "codex"]));
    expect(driven.run.stopReason).toMatchObject({ class: "outage" });
    expect(at - NOON).toBeGreaterThanOrEqual(2 * HOUR - 5 * MINUTE);
    expect(at - NOON).toBeLessThanOrEqual(2 * HOUR + 5 * MINUTE);
  });
});

const NAMES = ["claude", "codex", "pi"] as const;
const anyWait = fc.option(fc.integer({ min: -10, max: 10 }).map((m) => limited(NOON + m * MINUTE)));
const anySession: fc.Arbitrary<Session> = fc.oneof(
  fc.constant({ mode: "fresh" as const, id: null }),
  fc.constantFrom("c1", "c2", "c3").map((id) => ({ mode: "resume" as const, id })),
  fc
    .constantFrom("c1", "c2", "c3")
    .map((source) => ({ mode: "branch" as const, source, id: null })),
);
const anyMixed: fc.Arbitrary<RunState> = fc
  .record({
    agents: fc.array(
      fc.record({ state: fc.constantFrom("A.md", "B.md", "C.md"), session: anySession }),
      {
        minLength: 1,
        maxLength: 5,
      },
    ),
    candidates: fc.dictionary(
      fc.constantFrom("A.md", "B.md", "C.md"),
      fc.shuffledSubarray([...NAMES], { minLength: 1 }),
    ),
    owners: fc.dictionary(fc.constantFrom("c1", "c2"), fc.constantFrom("codex", "pi")),
    waits: fc.tuple(anyWait, anyWait, anyWait),
    maxParallel: fc.integer({ min: 1, max: 5 }),
  })
  .map(({ agents, candidates, owners, waits, maxParallel }) => {
    const own = agents.map((each, index) => agent({ id: `a${String(index)}`, ...each }));
    const of = run({ agents: own, candidates, owners, settings: settings({ maxParallel }) });
    return NAMES.reduce((now, name, index) => withWait(now, name, waits[index] ?? null), of);
  });

describe("laws of runs with several coding agents", () => {
  it("no conversation is ever continued by another coding agent than its owner", () => {
    fc.assert(
      fc.property(anyMixed, (of) => {
        const { run: after } = look(of);
        for (const each of after.agents) {
          if (each.activity.type !== "running") continue;
          const { backend } = each.activity;
          const before = of.agents.find(({ id }) => id === each.id);
          expect(before === undefined ? [] : candidatesOf(of, before)).toContain(backend);
          expect(ownerOf(after, each.session.id ?? "")).toBe(backend);
          if (each.session.mode === "branch") {
            expect(ownerOf(of, each.session.source)).toBe(backend);
          }
        }
      }),
    );
  });

  it("a limit of one coding agent never delays a step whose candidates do not need it", () => {
    fc.assert(
      fc.property(anyMixed, fc.constantFrom(...NAMES), (of, name) => {
        const free = withWait(of, name, null);
        const needs = (each: Agent) => candidatesOf(of, each).includes(name);
        const startsOf = (state: RunState) =>
          new Set(
            plan({ ...state, agents: state.agents.filter((one) => !needs(one)) }, NOON).starts,
          );
        expect(startsOf(withWait(of, name, limited(NOON + HOUR)))).toEqual(startsOf(free));

        // A step with a candidate that has no wait starts as soon as there is a place.
        const wide = { ...of, settings: settings({ maxParallel: 99 }) };
        const starts = plan(wide, NOON).starts;
        for (const each of wide.agents) {
          const isFree = candidatesOf(wide, each).some((one) => wide.waits[one] === undefined);
          const long = candidatesOf(wide, each).every((one) => {
            const wait = wide.waits[one];
            // After a wait, one step tries the agent, and the others wait for its result.
            return (
              wait === undefined || (wait.until > NOON && wait.until - wait.since >= 5 * MINUTE)
            );
          });
          if (isFree && long) expect(starts).toContain(each.id);
        }
      }),
    );
  });

  it("every idle prompt that does not start waits for something, until a known time", () => {
    fc.assert(
      fc.property(anyMixed, (of) => {
        const [after] = schedule(of, { at: NOON, sessions: of.agents.map(({ id }) => `n${id}`) });
        const waits = waitsOf(after, NOON);
        for (const each of after.agents) {
          if (each.activity.type !== "running") expect(waits(each)).not.toBeNull();
        }
        const isBusy = after.agents.some(({ activity }) => activity.type === "running");
        expect(isBusy || nextWakeTime(after, NOON) !== null).toBe(true);
      }),
    );
  });
});
