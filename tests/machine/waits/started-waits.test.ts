import { describe, expect, it } from "vitest";
import type { Agent } from "../../../src/machine/model/agent.ts";
import type { RunState } from "../../../src/machine/model/run-state.ts";
import { startedWaits } from "../../../src/machine/waits/started-waits.ts";
import { agent, running, waiting } from "../../support/agents.ts";
import { NOON } from "../../support/run-driver.ts";
import { run, settings } from "../../support/runs.ts";

const busy = (id: string) => agent({ id, activity: running() });

const narrow = (...agents: readonly Agent[]): RunState =>
  run({ agents, settings: settings({ maxParallel: 1 }) });

describe("startedWaits", () => {
  it("reports each agent once when it starts to wait for a slot", () => {
    const alone = narrow(busy("a"));
    const two = narrow(busy("a"), agent({ id: "b" }));
    const three = narrow(busy("a"), agent({ id: "b" }), agent({ id: "c" }));
    const startedBetween = (before: RunState, after: RunState) =>
      startedWaits(before, after, NOON, NOON + 1).map((event) => "agent" in event && event.agent);

    expect(startedBetween(alone, two)).toEqual(["b"]);
    expect(startedBetween(two, three)).toEqual(["c"]);
    expect(startedBetween(three, three)).toEqual([]);
  });

  it("reports an agent again after it had a slot", () => {
    const first = narrow(busy("a"), agent({ id: "b" }));
    const then = narrow(agent({ id: "a" }), busy("b"));

    expect(startedWaits(first, then, NOON, NOON + 1)).toEqual([
      {
        type: "agent.waiting",
        agent: "a",
        state: agent().state,
        wait: { kind: "place", maxParallel: 1 },
      },
    ]);
  });

  it("reports all waits of a resumed run at the first poll", () => {
    const two = narrow(busy("a"), agent({ id: "b" }));

    expect(startedWaits(two, two, null, NOON)).toHaveLength(1);
  });

  it("leaves the pause before a retry, and the end of a run, to the events that cause them", () => {
    const pausing = agent({ activity: waiting(NOON + 500) });
    const stopReason = { class: "budget", message: "x", agent: null, state: null };
    const stopped: RunState = {
      ...narrow(agent()),
      stopReason: { ...stopReason, class: "budget" },
    };

    expect(startedWaits(run(), run({ agents: [pausing] }), NOON, NOON)).toEqual([]);
    expect(startedWaits(run(), stopped, NOON, NOON)).toEqual([]);
  });
});
