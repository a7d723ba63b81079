import { describe, expect, it } from "vitest";
import { agentRow } from "../../../../src/dashboard/page/rows/agent-rows.ts";
import { agent } from "./logged.ts";

const NOW = Date.parse("2026-11-22T10:00:00Z");
const INTERRUPTED = { results: {}, status: "interrupted" } as const;
const RUNNING = { results: {}, status: "running" } as const;

describe("an agent in the list", () => {
  it("is stopped while its run is, and is not about to step", () => {
    expect(agentRow(agent({ does: "stopped" }), INTERRUPTED, NOW)).toMatchObject({
      does: "stopped",
      tone: "plain",
    });
  });

  it("says what it waits for also while its run is stopped", () => {
    const waits = { for: "delay", until: null } as const;

    const row = agentRow(agent({ does: "stopped", waits_for: waits }), INTERRUPTED, NOW);

    expect(row.does).toBe("stopped, waiting for the delay of its workflow");
  });

  it("shows for how long its step has been running once that is a second", () => {
    const since = (ms: number) => agent({ step: 7, since: new Date(NOW - ms).toISOString() });

    expect(agentRow(since(400), RUNNING, NOW).does).toBe("running step 7");
    expect(agentRow(since(9_400), RUNNING, NOW).does).toBe("running step 7 for 9s");
  });

  it("tells a queued agent from a running one", () => {
    const place = { for: "place", until: null } as const;

    const row = agentRow(agent({ does: "waiting", waits_for: place }), RUNNING, NOW);

    expect(row.does).toMatch(/^queued: /);
  });
});
