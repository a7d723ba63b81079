import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { raymond } from "../support/cli.ts";
import { tempProject } from "../support/project.ts";
import { WORKFLOWS } from "./sample.ts";
import { simulate } from "./simulate.ts";

const TASK = ["--input", "Add a --json flag"];

describe("workflows/plan-then-implement", () => {
  it("plans, implements, fixes findings of the check, and starts an independent review", async () => {
    const project = await tempProject({});
    const check = "test -e seen || { touch seen; echo not yet; false; }";

    const done = await simulate("plan-then-implement", project, [
      ...TASK,
      "--var",
      `check=${check}`,
    ]);

    expect(done).toMatchObject({
      exitCode: 0,
      stdout: "The flag --json is there, tested and reviewed.\n",
    });
    expect(done.visited("main")).toEqual([
      ...["START.sh", "PLAN.md", "IMPLEMENT.md"],
      ...["CHECK.sh", "FIX.md"],
      ...["CHECK.sh", "REVIEW.md", "ADDRESS.md"],
      ...["CHECK.sh", "REVIEW.md", "ADDRESS.md"],
      "SUMMARIZE.md",
    ]);
    expect(done.run.total_cost_usd).toBeCloseTo(1.18, 6);
    expect(await project.read("plan/task.md")).toBe("Add a --json flag");
    expect(await project.read("plan/verdict")).toBe("passed in round 3\n");
  });

  it("starts a new conversation after planning, and continues it for fixes", async () => {
    const project = await tempProject({});

    const { events } = await simulate("plan-then-implement", project, TASK);

    const sessions = events.flatMap(({ type, state, session }) =>
      type === "step.started" && typeof session === "string" ? [`${state ?? ""} ${session}`] : [],
    );
    expect(sessions).toEqual([
      "PLAN.md fresh",
      "IMPLEMENT.md fresh",
      ...["REVIEW.md fresh", "ADDRESS.md resume"],
      ...["REVIEW.md fresh", "ADDRESS.md resume"],
      "SUMMARIZE.md resume",
    ]);
  });

  it("gives up if the check never passes", async () => {
    const project = await tempProject({});

    const done = await simulate("plan-then-implement", project, [
      ...TASK,
      ...["--var", "check=echo broken; false", "--var", "max_rounds=2"],
    ]);

    expect(done.exitCode).toBe(0);
    expect(done.visited("main")).toEqual([
      ...["START.sh", "PLAN.md", "IMPLEMENT.md"],
      ...["CHECK.sh", "FIX.md", "CHECK.sh", "FIX.md", "CHECK.sh"],
      "SUMMARIZE.md",
    ]);
    expect(await project.read("plan/verdict")).toBe("given up, rounds: 2\n");
    expect(await project.read("plan/check.log")).toBe("broken\n");
  });

  it("requires a task, and explains how to provide one", async () => {
    const project = await tempProject({});

    const refused = await raymond([join(WORKFLOWS, "plan-then-implement"), "--simulate"], {
      project,
    });

    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toContain("--input");
  });
});
