import { describe, expect, it } from "vitest";
import type { Denial } from "../../../src/machine/model/denial.ts";
import { failure } from "../../../src/machine/model/failure.ts";
import { grantsOf } from "../../../src/machine/moves/permission.ts";
import { questionsOf } from "../../../src/machine/moves/question.ts";
import { rerunOf } from "../../../src/machine/record/rerun.ts";
import { recover } from "../../../src/machine/steps/recover.ts";
import { agent } from "../../support/agents.ts";
import { output } from "../../support/outcomes.ts";
import { NOON, RunDriver } from "../../support/run-driver.ts";
import { run } from "../../support/runs.ts";

const TEST: Denial = { tool: "Bash", input: "npm test", exact: "npm test" };
const FETCH: Denial = { tool: "WebFetch", input: "https://x.example" };
const GRANT = { tool: "Bash", argument: "npm test" };
const ANN = { user: "ann", host: "box", via: "command" } as const;

const asked = (calls: readonly Denial[] = [TEST, FETCH]) =>
  new RunDriver(run({ agents: [agent({ session: { mode: "resume", id: "s1" } })] }))
    .start()
    .end(output("done <goto>A</goto>", { denials: calls }), { kind: "ask-permission", calls });
const answered = (driven: RunDriver, answer: string) => {
  const number = questionsOf(driven.run)[0]?.number ?? 0;
  return driven.apply({ type: "answered", agent: "main", number, answer, by: ANN, at: NOON });
};
const mainOf = ({ run: { agents } }: RunDriver) => {
  const main = agents.find(({ id }) => id === "main");
  if (main === undefined) throw new Error("main has ended");
  return main;
};
const grants = (driven: RunDriver) => grantsOf(driven.run, mainOf(driven));

describe("a question about denied tool calls", () => {
  it("keeps the agent in its state and conversation, and shows each call on a line", () => {
    const driven = asked();
    expect(mainOf(driven)).toMatchObject({
      state: "START.md",
      session: { mode: "resume", id: "s1" },
    });
    expect(questionsOf(driven.run)).toMatchObject([
      {
        question:
          "START.md: allow 2 denied tool calls?\n- Bash: npm test\n- WebFetch: https://x.example (cannot be allowed here)",
        options: ["allow once", "allow for this run", "deny"],
        from: "START.md",
        until: null,
      },
    ]);
    expect(driven.types()).toContain("agent.asked");
    expect(driven.run.denied).toHaveLength(2);
  });

  it("offers no permission if none of the calls can be allowed exactly", () => {
    expect(questionsOf(asked([FETCH]).run)).toMatchObject([{ options: ["deny"] }]);
  });

  it("has a number of its own in the run", () => {
    const driven = answered(asked(), "deny").start();
    const [first, second] = [
      1,
      questionsOf(driven.end(output("x"), { kind: "ask-permission", calls: [FETCH] }).run)[0]
        ?.number,
    ];
    expect(second).toBeGreaterThan(first);
  });

  it("allows the exact calls until the next reply", () => {
    const driven = answered(asked(), "allow once");
    expect(mainOf(driven)).toMatchObject({ activity: { type: "ready" }, delivery: "allowed" });
    expect(grants(driven)).toEqual([GRANT]);
    expect(driven.run.grants).toBeNull();

    // A crash repeats the attempt with the same permission.
    driven.start().end(
      {
        ...{ kind: "failure", class: "crash", message: "x", hint: null, refused: null },
        ...{ session: null, spend: output("x").spend, durationMs: 0, exitCode: 1 },
      },
      { kind: "again", problem: "x" },
    );
    expect(grants(driven)).toEqual([GRANT]);

    driven.start().end(output("x"), {
      kind: "remind",
      fault: { code: "no-tag", message: "No tag." },
    });
    expect(grants(driven)).toEqual([]);
  });

  it("allows the exact calls for the run, and not for its reruns", () => {
    const driven = answered(asked(), "allow for this run");
    expect(driven.run.grants).toEqual([GRANT]);
    driven.step({ tag: "goto", target: "A.md" });
    expect(grants(driven)).toEqual([GRANT]);

    const again = rerunOf(
      { run: driven.run, step: 1, agent: mainOf(driven), at: NOON },
      {
        ...{ id: "other", token: "t", settings: driven.run.settings, scopeDir: "/x" },
        ...{ at: NOON, conversations: new Map() },
      },
    );
    expect(again.grants).toBeNull();
  });

  it.each(["deny", "yes", "allow", "ALLOW ONCE", ""])(
    "denies the calls for any other answer: %j",
    (answer) => {
      const driven = answered(asked(), answer);
      expect(grants(driven)).toEqual([]);
      expect(mainOf(driven)).toMatchObject({
        delivery: "denied",
        ruling: { refused: [TEST, FETCH] },
      });
    },
  );

  it("is over in the next state: its decisions apply to one visit", () => {
    const driven = answered(asked(), "deny").step({ tag: "goto", target: "A.md" });
    expect(mainOf(driven).ruling).toBeUndefined();
  });

  it("stays open in a resumed run", () => {
    const driven = asked();
    expect(questionsOf(recover(driven.run, {}))).toEqual(questionsOf(driven.run));
  });
});

describe("a step that failed because of denied tool calls", () => {
  it("continues its conversation on resume", () => {
    const driven = new RunDriver(run()).start().end(output("x", { denials: [TEST] }), {
      kind: "fail",
      failure: failure("denied", "1 tool call was denied."),
    });
    driven.apply({ type: "looked", at: NOON, sessions: [] });
    expect(driven.run).toMatchObject({ status: "failed", stopReason: { class: "denied" } });

    const [main] = recover(driven.run, {}).agents;
    expect(main).toMatchObject({
      activity: { type: "ready" },
      session: { mode: "resume", id: "s1" },
      delivery: "denied",
      ruling: { calls: [TEST] },
    });
  });
});
