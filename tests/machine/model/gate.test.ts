import { describe, expect, it } from "vitest";
import type { Transition } from "../../../src/language/protocol/transition.ts";
import { advance } from "../../../src/machine/advance.ts";
import { decide } from "../../../src/machine/decide/decide.ts";
import type { Decision } from "../../../src/machine/decide/decision.ts";
import { READY } from "../../../src/machine/model/activity.ts";
import { type GateCheck, setupBefore } from "../../../src/machine/model/gate.ts";
import type { CheckedGate } from "../../../src/machine/model/outcome.ts";
import { NO_SPEND } from "../../../src/machine/model/spend.ts";
import { passGate } from "../../../src/machine/steps/pass-gate.ts";
import { agent } from "../../support/agents.ts";
import { failure, output, step } from "../../support/outcomes.ts";
import { RunDriver } from "../../support/run-driver.ts";
import { run } from "../../support/runs.ts";

const LOST = { folders: new Map(), workflows: new Map(), lostSession: "fail" } as const;
const TO_A: Transition = { tag: "goto", target: "A.md", input: "mine" };

describe("an output whose rule has a gate", () => {
  const rules = (...list: readonly string[]) =>
    step(`---\nallowed_transitions: [${list.join(", ")}]\n---\nDo it.`);
  const check = { state: "POLL.sh", attempts: 5, onFail: null };

  it("must pass first, also for an implied transition", () => {
    const judge = (said: string) =>
      decide(rules("{ tag: goto, target: A, verify: POLL }"), output(said), LOST);
    const gate = { transitions: [{ tag: "goto", target: "A.md" }], checks: [check], starts: 0 };

    expect(judge("<goto>A</goto>")).toEqual({ kind: "verify", gate: { ...gate, implied: false } });
    expect(judge("Done.")).toEqual({ kind: "verify", gate: { ...gate, implied: true } });
  });

  it("continues at once by a rule without a gate", () => {
    const given = rules("{ tag: goto, target: A, verify: POLL }", "{ tag: result }");

    expect(decide(given, output("<result>x</result>"), LOST)).toMatchObject({ kind: "move" });
  });

  it("has one gate once, for all elements that it stands before", () => {
    const given = rules(
      "{ tag: fork, target: A, verify: POLL, attempts: 2, on_fail: B }",
      "{ tag: goto, target: B, verify: POLL }",
    );
    const said = "<fork>A</fork><fork>A</fork><goto>B</goto>";

    expect(decide(given, output(said), LOST)).toMatchObject({
      gate: { checks: [{ state: "POLL.sh", attempts: 2, onFail: "B.md" }] },
    });
  });

  it("reminds of faults before any gate runs", () => {
    const given = rules("{ tag: goto, target: A, verify: POLL }", "{ tag: result }");

    expect(decide(given, output("<goto>B</goto>"), LOST)).toMatchObject({ kind: "remind" });
  });
});

describe("an agent before its gate", () => {
  it("runs as a separate step, and then the agent moves", () => {
    const driven = new RunDriver(run()).start().end(output("x"), verify()).start();

    expect(driven.events.at(-1)).toMatchObject({
      type: "step.started",
      state: "TESTS.sh",
      kind: "script",
      process: 2,
      attempt: 1,
      session: null,
    });
    driven.end(checked(null), { kind: "pass" });
    expect(driven.events.slice(-2)).toMatchObject([
      { type: "step.ended", state: "TESTS.sh", ok: true },
      { type: "agent.moved", from: "START.md", to: "A.md" },
    ]);
    expect(driven.run.agents[0]).toMatchObject({
      state: "A.md",
      gate: null,
      pendingResult: "mine",
      session: { mode: "resume", id: "s1" },
    });
    expect(driven.run).toMatchObject({ steps: 1, visits: { "START.md": 1 } });
    expect(driven.run.sums.states).toMatchObject({
      "START.md": { attempts: 1 },
      "TESTS.sh": { attempts: 1 },
    });
  });

  it("runs two gates one after the other", () => {
    const other: GateCheck = { state: "LINT.sh", attempts: 5, onFail: null };
    const driven = new RunDriver(run()).start().end(output("x"), verify({}, other));

    driven.start().end(checked(null), { kind: "pass" });
    expect(driven.run.agents[0]).toMatchObject({ state: "START.md", gate: { checks: [other] } });
    driven.start().end(checked(null), { kind: "pass" });
    expect(driven.run.agents[0]).toMatchObject({ state: "A.md", gate: null });
  });

  it("sends the output of the gate to the model, instead of a reminder", () => {
    const driven = new RunDriver(run()).start().end(output("x"), verify()).start();

    driven.end(checked("It failed."), { kind: "send-back", problem: "It failed.", said: "1 red" });

    expect(driven.run.agents[0]).toMatchObject({
      activity: READY,
      state: "START.md",
      session: { mode: "resume", id: "s1" },
      delivery: "gate",
      gate: null,
      sentBack: { times: 1, problem: "It failed.", said: "1 red" },
      reminders: 0,
      starts: 1,
    });
    expect(driven.events.slice(-2)).toMatchObject([
      { type: "step.ended", ok: false, failure: null },
      { type: "agent.sent-back", state: "START.md", gate: "TESTS.sh", times: 1 },
    ]);
  });

  it("enters on_fail after the last attempt, with the output as payload", () => {
    const driven = refused({ attempts: 2, onFail: "B.md" });

    expect(driven.run.agents[0]).toMatchObject({ state: "B.md", pendingResult: "red", gate: null });
    expect(driven.events.at(-1)).toMatchObject({
      type: "agent.diverted",
      from: "START.md",
      to: "B.md",
      by: "on_fail",
    });
  });

  it("fails without on_fail, and restarts the state on resume", () => {
    const driven = refused({ attempts: 2 });

    expect(driven.run.agents[0]).toMatchObject({
      activity: { type: "failed", error: { class: "deterministic", state: "START.md" } },
    });
    expect(driven.events).toContainEqual(
      expect.objectContaining({
        type: "agent.failed",
        problem: "It failed. Attempt 2 of 2. The end of its output:\n  red",
      }),
    );
    const [resumed] = advance(driven.run, {
      type: "resumed",
      given: {},
      recalled: {},
      reported: 0,
    });
    expect(resumed.agents[0]).toMatchObject({ sentBack: null, gate: null, delivery: "prompt" });
  });

  it("reports only the end of a long line", () => {
    const { stopReason } = refused({ attempts: 2 }, "x".repeat(16_384)).run;

    expect(stopReason?.message).toMatch(/The end of its output:\n {2}x{2000}$/);
  });

  it("runs the gate again after a crash of raymond, and not the prompt", () => {
    const flying = new RunDriver(run()).start().end(output("x"), verify()).start();

    const [resumed] = advance(flying.run, {
      type: "resumed",
      given: {},
      recalled: {},
      reported: 0,
    });

    const again = new RunDriver(resumed).start();
    expect(again.events.at(-1)).toMatchObject({ state: "TESTS.sh", process: 3, attempt: 2 });
    again.end(checked(null), { kind: "pass" });
    expect(again.run.agents[0]).toMatchObject({ state: "A.md" });
  });

  it("runs again on resume if it did not start or was interrupted", () => {
    for (const decision of [
      { kind: "fail", failure: failure("deterministic") },
      { kind: "cancelled" },
    ] as const) {
      const ended = new RunDriver(run()).start().end(output("x"), verify()).start();
      ended.end(failure("deterministic", { exitCode: null }), decision);

      const [resumed] = advance(ended.run, {
        type: "resumed",
        given: {},
        recalled: {},
        reported: 0,
      });

      expect(new RunDriver(resumed).start().events.at(-1)).toMatchObject({ state: "TESTS.sh" });
    }
  });
});

function verify(changes: Partial<GateCheck> = {}, ...more: readonly GateCheck[]): Decision {
  const check = { state: "TESTS.sh", attempts: 5, onFail: null, ...changes };
  return {
    kind: "verify",
    gate: { transitions: [TO_A], implied: false, checks: [check, ...more], starts: 0 },
  };
}

/** Twice sent back, or what becomes of it. */
function refused(changes: Partial<GateCheck>, said = "red"): RunDriver {
  const driven = new RunDriver(run({ agents: [agent()] }));
  const back = { kind: "send-back", problem: "It failed.", said } as const;
  for (let time = 0; time < 2; time += 1) {
    driven.start().end(output("x"), verify(changes));
    driven.start().end(checked("It failed."), back);
  }
  return driven;
}

function checked(problem: string | null): CheckedGate {
  return {
    kind: "checked",
    problem,
    said: problem === null ? "" : "red",
    session: null,
    spend: NO_SPEND,
    durationMs: 5,
    exitCode: problem === null ? 0 : 1,
  };
}

describe("the setup of the worktree of a rerun", () => {
  it("is followed by the step itself, and its input stays", () => {
    const before = agent({ pendingResult: "input" });

    const { next, move } = passGate({ ...before, gate: setupBefore("SETUP.sh", null) });

    expect(move).toBeNull();
    expect(next).toEqual(before);
  });

  it("is followed by the gate that the rerun starts with", () => {
    const check = { state: "POLL.sh", attempts: 5, onFail: null };
    const pending = { transitions: [TO_A], implied: false, checks: [check], starts: 0 };

    const { next, move } = passGate(agent({ gate: setupBefore("SETUP.sh", pending) }));

    expect(move).toBeNull();
    expect(next.gate).toEqual(pending);
  });
});
