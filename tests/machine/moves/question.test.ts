import { describe, expect, it } from "vitest";
import type { Transition } from "../../../src/language/protocol/transition.ts";
import type { RunState } from "../../../src/machine/model/run-state.ts";
import { questionsOf } from "../../../src/machine/moves/question.ts";
import { plan } from "../../../src/machine/steps/plan.ts";
import { sessionIdsNeeded } from "../../../src/machine/steps/schedule.ts";
import { waitsOf } from "../../../src/machine/waits/waits.ts";
import { agent, failed, running } from "../../support/agents.ts";
import { output } from "../../support/outcomes.ts";
import { NOON, RunDriver } from "../../support/run-driver.ts";
import { run, settings } from "../../support/runs.ts";

const HOUR = 3_600_000;
const ASK: Transition = { tag: "ask", question: "Ship it?", next: "SHIP.sh", options: "yes|No" };
const TIMED: Transition = { ...ASK, timeout: "1h", timeoutNext: "LATE.sh", input: "no answer" };
const ANN = { user: "ann", host: "box", via: "command" } as const;

const asked = (transition: Transition = ASK, before: RunState = run()) =>
  new RunDriver(before).start().end(output("x"), {
    kind: "move",
    transitions: [transition],
    implied: false,
  });
const answered = (
  number: number,
  changes: { readonly at?: number; readonly answer?: string } = {},
) =>
  ({
    type: "answered",
    agent: "main",
    number,
    answer: "yes",
    by: ANN,
    at: NOON,
    ...changes,
  }) as const;
const look = (driven: RunDriver, at: number, how: { readonly attended?: true } = {}) =>
  driven.apply({ type: "looked", at, sessions: ["s8", "s9"], ...how });
const mainOf = ({ run: { agents } }: RunDriver) => agents.find(({ id }) => id === "main");

describe("a question", () => {
  it("moves the agent to the next state, in the same conversation", () => {
    const before = run({ agents: [agent({ session: { mode: "resume", id: "s1" } })] });
    const { run: now } = asked(ASK, before);
    const [main] = now.agents;

    expect(main).toMatchObject({ state: "SHIP.sh", session: { mode: "resume", id: "s1" } });
    expect(main?.activity).toEqual({
      type: "waiting",
      since: null,
      until: null,
      for: {
        ...{ kind: "answer", number: 1, question: "Ship it?", options: ["yes", "No"] },
        ...{ late: null, from: "START.md", call: 0 },
      },
    });
    expect(now.agents.map(waitsOf(now, NOON))).toEqual([
      { kind: "answer", until: null, number: 1, question: "Ship it?", options: ["yes", "No"] },
    ]);
  });

  it("is reported after the move", () => {
    expect(asked(TIMED).events.slice(-2)).toMatchObject([
      { type: "agent.moved", to: "SHIP.sh" },
      {
        ...{ type: "agent.asked", agent: "main", state: "START.md", number: 1 },
        ...{ question: "Ship it?", options: ["yes", "No"], until: NOON + HOUR },
      },
    ]);
  });

  it("passes on its answer, and reports who answered", () => {
    const driven = asked().apply(answered(1));

    expect(mainOf(driven)).toMatchObject({
      ...{ activity: { type: "ready" }, state: "SHIP.sh", pendingResult: "yes", starts: 0 },
    });
    expect(driven.events.at(-1)).toEqual({
      ...{ type: "agent.answered", agent: "main", state: "SHIP.sh", number: 1 },
      ...{ answer: "yes", by: ANN, at: NOON },
    });
  });

  it("accepts only the first answer to an open question", () => {
    const driven = asked();

    expect(driven.apply(answered(2)).run.agents).toEqual(asked().run.agents);
    const once = driven.apply(answered(1)).run;
    expect(driven.apply(answered(1, { answer: "No" })).run).toBe(once);
    expect(driven.apply({ ...answered(1), agent: "main_gone1" }).run).toBe(once);
  });

  it("counts an answer that was given in time, whenever it is read, and none that came later", () => {
    expect(mainOf(asked(TIMED).apply(answered(1, { at: NOON + HOUR })))?.pendingResult).toBe("yes");
    const late = asked(TIMED).apply(answered(1, { at: NOON + HOUR + 1 }));

    expect(questionsOf(late.run)).toHaveLength(1);
  });

  it("goes to timeout_next with its input when the time is over, and only then", () => {
    const waits = run({ settings: settings({ onAsk: "wait" }) });
    const before = look(asked(TIMED, waits), NOON + HOUR - 1);
    expect(mainOf(before)).toMatchObject({ state: "SHIP.sh" });

    const after = look(before, NOON + HOUR);

    expect(mainOf(after)).toMatchObject({ state: "LATE.sh", pendingResult: "no answer" });
    expect(after.events).toContainEqual({
      ...{ type: "agent.unanswered", agent: "main", state: "LATE.sh", number: 1 },
    });
    expect(plan(look(asked(TIMED), NOON).run, NOON).starts).toEqual([]);
  });

  it("asks in time for the session of a prompt to which it goes when it is late", () => {
    const late: Transition = { ...ASK, timeout: "1h", timeoutNext: "LATE.md" };

    expect(sessionIdsNeeded(asked(late).run)).toBe(1);
  });

  it("has a number that no other question of the run has", () => {
    const driven = asked()
      .apply(answered(1))
      .step({ ...ASK, question: "And now?" });

    expect(questionsOf(driven.run)).toMatchObject([{ number: 2, question: "And now?" }]);
  });
});

describe("a run in which everybody waits for a person", () => {
  it("pauses the run, with the question in the message", () => {
    const { run: ended, events } = look(asked(), NOON);

    expect(ended).toMatchObject({
      status: "paused",
      stopReason: {
        class: "question",
        message: "Waiting for an answer: Ship it? (yes | No)",
        ...{ agent: "main", state: "START.md" },
      },
    });
    expect(events.at(-1)).toMatchObject({ type: "run.ended", status: "paused" });
  });

  it("pauses if other agents wait for workers or have failed, and with a timeout", () => {
    const timed = asked(TIMED).run.agents;
    const joins = agent({
      id: "main_a1",
      activity: {
        type: "waiting",
        since: null,
        until: null,
        for: { kind: "join", min: null, late: null },
      },
    });
    const broken = agent({ id: "main_b2", activity: failed() });
    const parked = new RunDriver(run({ agents: [...timed, joins, broken], steps: 1 }));

    expect(look(parked, NOON).run).toMatchObject({
      status: "paused",
      stopReason: { class: "question" },
    });
  });

  it("reports the number of several questions", () => {
    const [main] = asked().run.agents;
    const two = [main, { ...main, id: "main_a1" }].flatMap(
      (each) => each ?? [],
    ) as RunState["agents"];

    expect(look(new RunDriver(run({ agents: two })), NOON).run.stopReason).toMatchObject({
      message: "2 questions are waiting for an answer.",
      agent: null,
    });
  });

  it("waits with --on-ask wait, and if a person is at the terminal", () => {
    const waits = run({ settings: settings({ onAsk: "wait" }) });

    expect(look(asked(ASK, waits), NOON).run).toMatchObject({
      status: "waiting",
      stopReason: null,
    });
    expect(look(asked(), NOON, { attended: true }).run.status).toBe("waiting");
  });

  it("does not stop while anybody does anything, or waits for something else", () => {
    const [main] = asked().run.agents;
    const others = [
      agent({ id: "main_a1", activity: running() }),
      agent({ id: "main_a1", activity: { type: "ready" } }),
      agent({
        id: "main_a1",
        activity: { type: "waiting", since: null, until: NOON + HOUR, for: { kind: "delay" } },
      }),
    ];

    for (const other of others) {
      const agents = [main, other].flatMap((each) => each ?? []);
      expect(look(new RunDriver(run({ agents })), NOON).run.stopReason).toBeNull();
    }
  });

  it("asks on after a resume, until it is answered", () => {
    const resumed = { type: "resumed", given: {}, recalled: {}, reported: 0 } as const;
    const again = look(look(asked(), NOON).apply(resumed), NOON);
    expect(again.run.stopReason?.class).toBe("question");

    const on = look(again.apply(resumed).apply(answered(1)), NOON);

    expect(on.run.agents).toMatchObject([{ state: "SHIP.sh", activity: { type: "running" } }]);
  });
});
