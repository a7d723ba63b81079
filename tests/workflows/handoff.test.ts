import { describe, expect, it } from "vitest";
import { tempProject } from "../support/project.ts";
import { simulate } from "./simulate.ts";

describe("workflows/handoff", () => {
  it("replaces a conversation that is too long by a new one", async () => {
    const done = await simulate("handoff", await tempProject({}));

    expect(done).toMatchObject({ exitCode: 0, stdout: "All is done\n" });
    const sent = done.events.filter(({ type, ok }) => type === "step.ended" && ok === true);
    expect(sent.map(({ state }) => state)).toEqual([
      ...["START.sh", "WORK.md", "WORK.md", "HANDOFF.md"],
      ...["WORK.md", "WORK.md", "FINISH.sh"],
    ]);
    expect(done.events).toContainEqual(
      expect.objectContaining({
        type: "agent.diverted",
        from: "WORK.md",
        to: "HANDOFF.md",
        by: "on_context",
        problem: "The conversation has 130k tokens. The limit of WORK.md is 120k (max_context).",
      }),
    );
    // The rejected visit does not count, and its reply is not consumed.
    expect(done.run["visits"]).toMatchObject({ "WORK.md": 4, "HANDOFF.md": 1 });
    expect(done.run.total_cost_usd).toBeCloseTo(0.65, 6);
  });
});
