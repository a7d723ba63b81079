import { describe, expect, it } from "vitest";
import { readTraversal } from "../../src/log/traversal.ts";
import { logLine } from "../support/log-line.ts";

const tripsIn = (log: string) => readTraversal(log).trips;
const moved = (from: string, to: string, tag: string) =>
  logLine("agent.moved", { from, to, transition: { tag } });

describe("the traversal of a run", () => {
  it("counts the moves of each kind", () => {
    const log = [
      moved("A.md", "B.md", "goto"),
      moved("A.md", "B.md", "goto"),
      moved("B.md", "C.md", "fork"),
      logLine("agent.forked", { worker: "main_w1", state: "W.md" }),
      logLine("agent.sent-back", { state: "C.md", gate: "G.sh" }),
      logLine("agent.ended", { agent: "main_w1", state: "W.md" }),
      logLine("agent.ended", { state: "C.md" }),
    ];

    expect(tripsIn(log.join("\n"))).toEqual([
      { kind: "moved", from: "A.md", to: "B.md", times: 2 },
      { kind: "moved", from: "B.md", to: "C.md", times: 1 },
      { kind: "forked", from: "B.md", to: "W.md", times: 1 },
      { kind: "refused", from: "C.md", to: "G.sh", times: 1 },
      { kind: "end", from: "W.md", worker: true, times: 1 },
      { kind: "end", from: "C.md", worker: false, times: 1 },
    ]);
  });

  it("continues from a question when it was answered or timed out", () => {
    const asked = [moved("A.md", "YES.md", "ask"), logLine("agent.asked", { state: "A.md" })];

    expect(tripsIn(asked.join("\n"))).toEqual([]);
    expect(tripsIn([...asked, logLine("agent.answered", { state: "YES.md" })].join("\n"))).toEqual([
      { kind: "moved", from: "A.md", to: "YES.md", times: 1 },
    ]);
    expect(
      tripsIn([...asked, logLine("agent.unanswered", { state: "LATE.md" })].join("\n")),
    ).toEqual([{ kind: "moved", from: "A.md", to: "LATE.md", times: 1 }]);
  });

  it("skips a torn line", () => {
    const log = `${moved("A.md", "B.md", "goto")}\n{"type":"agent.moved","agent":"ma`;

    expect(tripsIn(log)).toHaveLength(1);
    expect(tripsIn("")).toEqual([]);
  });

  it("counts the visits of a state: its first attempts, not its retries", () => {
    const started = (state: string, attempt: number) => logLine("step.started", { state, attempt });
    const log = [started("A.md", 1), started("A.md", 2), started("B.md", 1), started("A.md", 1)];

    expect(readTraversal(log.join("\n")).visits).toEqual(
      new Map([
        ["A.md", 2],
        ["B.md", 1],
      ]),
    );
  });
});
