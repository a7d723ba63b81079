import { describe, expect, it } from "vitest";
import { advance } from "../../../src/machine/advance.ts";
import { READY } from "../../../src/machine/model/activity.ts";
import { branchOf, conversationOf, FRESH } from "../../../src/machine/model/agent.ts";
import { endRun } from "../../../src/machine/moves/stop.ts";
import { agent } from "../../support/agents.ts";
import { failure, output } from "../../support/outcomes.ts";
import { NOON, RunDriver } from "../../support/run-driver.ts";
import { run } from "../../support/runs.ts";

const fresh = (changes = {}) => run({ agents: [agent({ session: FRESH, ...changes })] });

describe("an agent whose conversation has failed", () => {
  it("restarts at once with a new id if its session id is in use", () => {
    const driven = new RunDriver(fresh())
      .start()
      .end(failure("crash"), { kind: "again", problem: "In use." });

    expect(driven.run.agents[0]).toMatchObject({
      activity: READY,
      session: FRESH,
      retries: 0,
    });
    expect(driven.start().run.agents[0]).toMatchObject({ session: { mode: "fresh", id: "new2" } });
  });

  it.each([
    ["interrupted", "prompt"],
    ["reminder", "reminder"],
  ] as const)(
    "enters its state again if only the conversation of its attempts is lost, after %s by %s",
    (before, after) => {
      const session = { mode: "resume", id: "s2" } as const;
      const lost = fresh({ session, entered: FRESH, delivery: before });

      const driven = new RunDriver(lost)
        .start()
        .end(failure("lost-session"), { kind: "reenter", problem: "Gone." });

      expect(driven.run.agents[0]).toMatchObject({ session: FRESH, delivery: after });
    },
  );

  it("starts a fresh conversation if allowed", () => {
    const driven = new RunDriver(run())
      .start()
      .end(failure("lost-session"), { kind: "forget", problem: "Gone." });

    expect(driven.run.agents[0]).toMatchObject({
      session: FRESH,
      entered: FRESH,
      delivery: "prompt",
    });
  });

  it("has the branch of its branch made from the same source", () => {
    const branch = { mode: "branch", source: "s1", id: "s2" } as const;

    expect(branchOf(branch)).toEqual({ mode: "branch", source: "s1", id: null });
    expect(branchOf(FRESH)).toEqual(FRESH);
  });
});

describe("the conversation that a session needs", () => {
  it.each([
    [FRESH, null],
    [{ mode: "resume", id: "s1" }, "s1"],
    [{ mode: "branch", source: "s1", id: "s2" }, "s1"],
  ] as const)("of %o is %s", (session, id) => {
    expect(conversationOf(session)).toBe(id);
  });
});

describe("an invalid input", () => {
  const go = {
    kind: "move",
    transitions: [{ tag: "result", payload: "" }],
    implied: false,
  } as const;
  const ended = { type: "ended", outcome: output("x"), decision: go, at: NOON, dice: 0.5 } as const;

  it("throws, for that is a bug", () => {
    const flying = new RunDriver(run()).start().run;

    expect(() => advance(flying, { ...ended, agent: "main", process: 9 })).toThrow(
      "agent main has no process 9 in flight",
    );
    expect(() => advance(flying, { ...ended, agent: "ghost", process: 1 })).toThrow(
      "has no agent ghost",
    );
  });

  it("ignores progress of a step that has ended", () => {
    const before = run();

    const accepted = { type: "accepted", agent: "main", process: 1, conversationBytes: 7 } as const;
    expect(advance(before, accepted)).toEqual([before, []]);
  });
});

describe("a run that is interrupted", () => {
  it("keeps the step that was cut off, and is called interrupted", () => {
    const reason = {
      class: "interrupted",
      message: "Interrupted by SIGTERM.",
      agent: null,
      state: null,
      signal: "SIGTERM",
    } as const;
    const driven = new RunDriver(run()).start().apply({ type: "stopped", reason });

    driven.end(failure("cancelled", { session: "s1" }), { kind: "cancelled" });

    expect(endRun(driven.run)[0]).toMatchObject({
      status: "interrupted",
      agents: [{ activity: READY, delivery: "interrupted" }],
    });
  });
});
