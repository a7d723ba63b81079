import { describe, expect, it } from "vitest";
import type { Transition } from "../../../src/language/protocol/transition.ts";
import { agent } from "../../support/agents.ts";
import { output } from "../../support/outcomes.ts";
import { RunDriver } from "../../support/run-driver.ts";
import { run, settings } from "../../support/runs.ts";

const fork = (target: string, next?: string): Transition => ({
  tag: "fork",
  target,
  ...(next === undefined ? {} : { next }),
  attributes: { of: target },
});
const GO: Transition = { tag: "goto", target: "N.md" };
const DONE: Transition = { tag: "result", payload: "done" };

const said = (transitions: readonly Transition[], before = run()) =>
  new RunDriver(before).start().end(output("x"), { kind: "move", transitions, implied: false });

describe("a row of transitions", () => {
  it.each([
    ["a goto behind", [fork("A.md"), fork("B.md"), GO]],
    ["a goto before", [GO, fork("A.md"), fork("B.md")]],
    ["next", [fork("A.md", "N.md"), fork("B.md")]],
  ])("starts its workers in source order, and continues by %s", (_, row) => {
    const driven = said(row, run({ forkCounters: { main: 4 } }));

    expect(driven.run.agents).toMatchObject([
      { id: "main", state: "N.md" },
      { id: "main_a5", state: "A.md", attributes: { of: "A.md" } },
      { id: "main_b6", state: "B.md" },
    ]);
    expect(driven.run.forkCounters).toEqual({ main: 6 });
    expect(driven.run.steps).toBe(1);
  });

  it("may end its agent, and the workers live on", () => {
    const driven = said([fork("A.md"), DONE]);

    expect(driven.run.agents).toMatchObject([{ id: "main_a1" }]);
    expect(driven.run.results).toEqual({ main: "done" });
  });

  it("is reported as a move of the agent and a fork for each worker", () => {
    const { events } = said([fork("A.md"), fork("B.md", "N.md")]);

    expect(events.filter(({ type }) => type.startsWith("agent."))).toMatchObject([
      { type: "agent.moved", transition: GO, to: "N.md" },
      { type: "agent.forked", worker: "main_a1", attributes: { of: "A.md" } },
      { type: "agent.forked", worker: "main_b2" },
    ]);
  });
});

describe("the limit of living agents", () => {
  const crowd = (maxAgents: number) =>
    run({
      agents: [agent(), agent({ id: "main_w1" })],
      settings: settings({ maxAgents }),
      forkCounters: { main: 1 },
    });

  it.each([
    [[fork("A.md"), fork("B.md"), GO], 4],
    // An agent that ends makes room.
    [[fork("A.md"), fork("B.md"), DONE], 3],
    [[fork("A.md", "N.md")], 3],
  ] as const)(
    "lets a row in that fits, and applies nothing of one that does not: %#",
    (row, need) => {
      expect(said(row, crowd(need)).run.stopReason).toBeNull();

      const { run: stopped } = said(row, crowd(need - 1));

      expect(stopped.stopReason).toMatchObject({
        class: "deterministic",
        message: expect.stringMatching(
          new RegExp(`${String(need)} agents would exceed --max-agents ${String(need - 1)}`),
        ) as string,
      });
      expect(stopped.agents.map(({ id }) => id)).toEqual(["main", "main_w1"]);
      expect(stopped.forkCounters).toEqual({ main: 1 });
      expect(stopped.steps).toBe(0);
    },
  );

  it("is not checked for an output that starts no agent", () => {
    expect(said([GO], crowd(1)).run.stopReason).toBeNull();
  });
});
