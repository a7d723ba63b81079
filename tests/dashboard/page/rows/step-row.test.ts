import { describe, expect, it } from "vitest";
import { stepRow } from "../../../../src/dashboard/page/rows/step-row.ts";
import { ended, logged, started, step } from "./logged.ts";

const NOW = Date.parse("2026-11-22T10:00:00Z");

describe("a step in the list", () => {
  it("says what it has cost and where it led", () => {
    const moved = logged(5, "agent.moved", {
      ...{ agent: "main", from: "WORK.md", to: "NEXT.md", implied: false, dropped: 0 },
      transition: { tag: "goto", target: "NEXT.md" },
    });

    const row = stepRow(step({ step: 1, ended: ended(4, 1), after: [moved] }), undefined, NOW);

    expect(row).toMatchObject({ cost: "$0.25", took: "4s", outcome: "done" });
    expect(row.text).toContain("NEXT.md");
  });

  it("shows what it does while it runs", () => {
    const tool = logged(3, "step.tool", {
      agent: "main",
      state: "WORK.md",
      tool: "Bash",
      argument: "npm test",
    });

    const row = stepRow(
      step({ step: 1, running: true }),
      tool,
      Date.parse(started(1, 1).at ?? "") + 9_000,
    );

    expect(row).toMatchObject({ outcome: "running", text: "Bash  npm test", took: "9s" });
  });

  it("is incomplete if it neither runs nor has ended", () => {
    expect(stepRow(step({ step: 1 }), undefined, NOW)).toMatchObject({
      outcome: "incomplete",
      tone: "bad",
    });
  });

  it.each([
    ["limit", "usage limit reached", "warn"],
    ["outage", "service unavailable", "warn"],
    ["cancelled", "interrupted", "plain"],
    ["crash", "failed (crash)", "bad"],
  ])("shows a %s as what it is", (failure, outcome, tone) => {
    const attempt = step({ step: 1, ended: { ...ended(4, 1), failure } });

    expect(stepRow(attempt, undefined, NOW)).toMatchObject({ outcome, tone });
  });

  it("shows no time in the first second of a running step", () => {
    const began = Date.parse(started(1, 1).at ?? "");

    expect(stepRow(step({ step: 1, running: true }), undefined, began + 300).took).toBe("");
  });

  it("puts what went wrong before where it led", () => {
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

    const row = stepRow(step({ step: 1, ended: ended(4, 1), after }), undefined, NOW);

    expect(row.tone).toBe("bad");
    expect(row.text).toContain("it broke");
  });

  it("passes over what a newer raymond tells", () => {
    const after = [logged(5, "agent.dreamt", { agent: "main" })];

    expect(stepRow(step({ step: 1, ended: ended(4, 1), after }), undefined, NOW).text).toBe("done");
  });
});
