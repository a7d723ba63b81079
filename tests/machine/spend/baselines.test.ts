import { describe, expect, it } from "vitest";
import { pruneBaselines } from "../../../src/machine/spend/baselines.ts";
import { agent, frame } from "../../support/agents.ts";
import { run } from "../../support/runs.ts";

const baselines = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`s${String(n)}`, n]));

describe("keepBaselines", () => {
  it("keeps a few unused ones", () => {
    const few = run({ baselines: baselines(10) });

    expect(pruneBaselines(few)).toBe(few);
  });

  it("keeps of many those that an agent may still come back to", () => {
    const of = agent({
      session: { mode: "branch", source: "s1", id: "s2" },
      entered: { mode: "fresh", id: null },
      stack: [frame({ session: { mode: "resume", id: "s3" } })],
    });
    const many = run({ agents: [of], baselines: baselines(20) });

    expect(Object.keys(pruneBaselines(many).baselines)).toEqual(["s1", "s2", "s3"]);
    const owned = { ...many, owners: { s1: "codex", gone: "codex" } };
    expect(pruneBaselines(owned).owners).toEqual({ s1: "codex" });
  });
});
