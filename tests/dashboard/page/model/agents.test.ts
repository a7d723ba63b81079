import { describe, expect, it } from "vitest";
import {
  agentBadge,
  agentPlace,
  agentText,
  waitLines,
} from "../../../../src/dashboard/page/model/agents.ts";
import { agent } from "./samples.ts";

const NOW = Date.parse("2026-11-22T10:00:00Z");
const UNTIL = "2026-11-22T12:00:00Z";

describe("an agent in the list", () => {
  it("names its coding agent if the run uses several", () => {
    const one = agent({ state: "PLAN.md", backend: "claude" });
    const other = agent({ state: "BUILD.md", backend: "codex" });

    expect(agentPlace(other, [one, other])).toBe("BUILD.md on codex");
    expect(agentPlace(other, [other])).toBe("BUILD.md");
    expect(agentPlace(agent({ state: "T.sh", backend: null }), [one, other])).toBe("T.sh");
  });

  it("is stopped while its run is stopped", () => {
    expect(agentBadge(agent({ does: "stopped" }), "interrupted", NOW)).toMatchObject({
      words: "stopped",
      tone: "plain",
    });
  });

  it("shows its delay also while its run is stopped", () => {
    const waits = { for: "delay", until: null } as const;

    const badge = agentBadge(agent({ does: "stopped", waits_for: waits }), "interrupted", NOW);

    expect(badge.words).toBe("stopped, waiting for the delay of its workflow");
  });

  it("shows the duration of its step after the first second", () => {
    const since = (ms: number) => agent({ step: 7, since: new Date(NOW - ms).toISOString() });

    expect(agentBadge(since(400), "running", NOW).words).toBe("running step 7");
    expect(agentBadge(since(9_400), "running", NOW).words).toBe("running step 7 for 9s");
  });

  it("is queued if the maximum number of parallel prompts is running", () => {
    const place = { for: "place", until: null } as const;

    const badge = agentBadge(agent({ does: "waiting", waits_for: place }), "running", NOW);

    expect(badge.words).toMatch(/^queued: /);
  });

  it("shows the failure that it reported to its parent", () => {
    const failed = agent({ does: "ended", ended: true, reported: "it broke\nbadly" });

    expect(agentBadge(failed, "running", NOW)).toMatchObject({ words: "failed", tone: "bad" });
    expect(agentText(failed, { results: { main: "x" } })).toBe("it broke");
  });
});

const delayed = (name: string) =>
  agent({ agent: name, does: "waiting", waits_for: { for: "delay", until: UNTIL } });
const LIMIT = {
  class: "limit" as const,
  ...{ until: UNTIL, since: UNTIL, tries: 1, process: 1, message: "Limit hit" },
};
const WAITING = { status: "waiting", waits: {}, agents: [], stop_reason: null } as const;

describe("the reason why a run makes no progress", () => {
  it("names the delay of an agent and its end", () => {
    const [line] = waitLines({ ...WAITING, agents: [delayed("main")] }, NOW);

    expect(line).toMatch(/^main: waiting for the delay of its workflow, until today \d\d:00\.$/);
  });

  it("counts agents beyond three", () => {
    const agents = ["a", "b", "c", "d", "e"].map(delayed);

    expect(waitLines({ ...WAITING, agents }, NOW).at(-1)).toBe("2 more agents are waiting.");
  });

  it("names the end of a usage limit while scripts run, and after the run has stopped", () => {
    const stop_reason = { class: "limit", message: "x", agent: "main", state: "A.md" } as const;

    expect(waitLines({ ...WAITING, status: "running", waits: { claude: LIMIT } }, NOW)[0]).toMatch(
      /^Waiting for the usage limit, next try today \d\d:00: Limit hit$/,
    );
    expect(
      waitLines({ ...WAITING, status: "paused", waits: { claude: LIMIT }, stop_reason }, NOW)[0],
    ).toMatch(/^The usage limit resets today \d\d:00\.$/);
  });
});
