import { describe, expect, it } from "vitest";
import type { Transition } from "../../../src/language/protocol/transition.ts";
import { isDelayed } from "../../../src/machine/moves/delay.ts";
import { nextWakeTime, plan } from "../../../src/machine/steps/plan.ts";
import { waitsOf } from "../../../src/machine/waits/waits.ts";
import { agent } from "../../support/agents.ts";
import { output } from "../../support/outcomes.ts";
import { NOON, RunDriver } from "../../support/run-driver.ts";
import { run } from "../../support/runs.ts";

const MINUTE = 60_000;
const later = (delay: string): Transition => ({ tag: "reset", target: "POLL.md", delay });

/** A run whose agent emitted these transitions at noon. */
const emitted = (...transitions: readonly Transition[]) =>
  new RunDriver(run()).start().end(output("x"), { kind: "move", transitions, implied: false });

describe("a delay", () => {
  it("keeps the agent in its new state until the time is over", () => {
    const { run: now } = emitted(later("5m"));
    const [main] = now.agents;

    expect(main).toMatchObject({ state: "POLL.md", starts: 0 });
    expect(main?.activity).toEqual({
      type: "waiting",
      since: NOON,
      until: NOON + 5 * MINUTE,
      for: { kind: "delay" },
    });
    expect(plan(now, NOON + 5 * MINUTE - 1).starts).toEqual([]);
    expect(nextWakeTime(now, NOON)).toBe(NOON + 5 * MINUTE);
    expect(plan(now, NOON + 5 * MINUTE).starts).toEqual(["main"]);
  });

  it("is reported as the wait of the agent", () => {
    const { run: now } = emitted(later("90s"));

    expect(now.agents.map(waitsOf(now, NOON))).toEqual([{ kind: "delay", until: NOON + 90_000 }]);
  });

  it("delays only its agent", () => {
    const fork: Transition = { tag: "fork", target: "WORK.sh", attributes: {} };

    expect(plan(emitted(fork, later("30d")).run, NOON).starts).toEqual(["main_work1"]);
  });

  it("continues after a resume with the remaining time", () => {
    const { run: now } = emitted(later("5m")).apply({
      type: "resumed",
      given: {},
      recalled: {},
      reported: 0,
    });

    expect(plan(now, NOON + MINUTE).starts).toEqual([]);
    expect(plan(now, NOON + 6 * MINUTE).starts).toEqual(["main"]);
  });

  it("is not ended by retry-now", () => {
    const { run: now } = emitted(later("5m")).apply({ type: "retry-now", at: NOON });

    expect(now.agents.every(isDelayed)).toBe(true);
  });
});

describe("waking", () => {
  const two = run({
    agents: ["main", "main_w1"].map((id) =>
      agent({
        id,
        activity: { type: "waiting", since: null, until: NOON + MINUTE, for: { kind: "delay" } },
      }),
    ),
  });

  it.each([
    [null, ["main", "main_w1"]],
    ["main_w1", ["main_w1"]],
    ["main_missing1", []],
  ])("wakes of %j: %j", (id, started) => {
    const { run: now } = new RunDriver(two).apply({ type: "woke", agent: id });

    expect(plan(now, NOON).starts).toEqual(started);
  });

  it("ends no wait for anything else", () => {
    const retrying = agent({
      activity: {
        type: "waiting",
        since: null,
        until: NOON + MINUTE,
        for: { kind: "retry", class: "crash", tries: 1 },
      },
    });
    const { run: now } = new RunDriver(run({ agents: [retrying] })).apply({
      type: "woke",
      agent: null,
    });

    expect(now.agents).toEqual([retrying]);
  });
});
