import { describe, expect, it } from "vitest";
import {
  stepBadge,
  stepCost,
  stepDuration,
  stepText,
} from "../../../../src/dashboard/page/model/step.ts";
import { ended, logged, started, step } from "./samples.ts";

const NOW = Date.parse("2026-11-22T10:00:00Z");

describe("a step in the list", () => {
  it("shows its cost, duration and transition", () => {
    const moved = logged(5, "agent.moved", {
      ...{ agent: "main", from: "WORK.md", to: "NEXT.md", implied: false, dropped: 0 },
      transition: { tag: "goto", target: "NEXT.md" },
    });

    const done = step({ step: 1, ended: ended(4, 1), after: [moved] });

    expect([stepCost(done), stepDuration(done, NOW)]).toEqual(["$0.25", "4s"]);
    expect(stepBadge(done).words).toBe("done");
    expect(stepText(done)).toContain("NEXT.md");
  });

  it("shows its current activity while it is running", () => {
    const tool = logged(3, "step.tool", {
      agent: "main",
      state: "WORK.md",
      tool: "Bash",
      argument: "npm test",
    });

    const running = step({ step: 1, running: true });

    expect(stepBadge(running).words).toBe("running");
    expect(stepText(running, tool)).toBe("Bash  npm test");
    expect(stepDuration(running, Date.parse(started(1, 1).at ?? "") + 9_000)).toBe("9s");
  });

  it("is incomplete if it neither runs nor has ended", () => {
    expect(stepBadge(step({ step: 1 }))).toMatchObject({ words: "incomplete", tone: "bad" });
  });

  it.each([
    ["limit", "usage limit reached", "warn"],
    ["outage", "service unavailable", "warn"],
    ["cancelled", "interrupted", "plain"],
    ["crash", "failed (crash)", "bad"],
  ])("shows the failure %s as: %s", (failure, words, tone) => {
    const attempt = step({ step: 1, ended: { ...ended(4, 1), failure } });

    expect(stepBadge(attempt)).toMatchObject({ words, tone });
  });

  it("shows no time in the first second of a running step", () => {
    const start = Date.parse(started(1, 1).at ?? "");

    expect(stepDuration(step({ step: 1, running: true }), start + 300)).toBe("");
  });

  it("shows an error rather than the transition", () => {
    const after = [
      logged(5, "agent.waiting", { agent: "main", state: "WORK.md", for: "delay", until: null }),
      logged(6, "agent.failed", {
        agent: "main",
        state: "WORK.md",
        class: "crash",
        problem: "it broke",
        hint: null,
      }),
    ];

    const failed = step({ step: 1, ended: ended(4, 1), after });

    expect(stepBadge(failed).tone).toBe("bad");
    expect(stepText(failed)).toContain("it broke");
  });

  it("ignores events of a newer version", () => {
    const after = [logged(5, "agent.dreamt", { agent: "main" })];

    expect(stepText(step({ step: 1, ended: ended(4, 1), after }))).toBe("done");
  });
});
