import { describe, expect, it } from "vitest";
import { tempProject } from "../support/project.ts";
import { simulate } from "./simulate.ts";

const TASK = ["--input", "Fix the date parser"];

/** A check that fails several times, then passes. */
const failing = (times: number) =>
  `echo x >>seen; n=$(wc -l <seen); echo "run $n is red"; test $n -gt ${String(times)}`;

describe("workflows/review-gate", () => {
  it("returns the work until the tests pass and the user accepts it, in one conversation", async () => {
    const project = await tempProject({});

    const done = await simulate("review-gate", project, [...TASK, "--var", `check=${failing(2)}`]);

    expect(done).toMatchObject({
      exitCode: 0,
      stdout: "The parser reads leap years. Three tests hold it to that.\n",
    });
    const started = done.events.filter(({ type }) => type === "step.started");
    expect(started.map(({ state }) => state)).toEqual([
      "START.sh",
      ...["IMPLEMENT.md", "TESTS.sh", "IMPLEMENT.md", "TESTS.sh", "IMPLEMENT.md", "TESTS.sh"],
      ...["SUMMARIZE.md", "ASK.sh", "DECIDE.sh", "FIX.md", "TESTS.sh"],
      ...["SUMMARIZE.md", "ASK.sh", "DECIDE.sh"],
    ]);
    const sessions = started.flatMap(({ session }) => session ?? []);
    expect(sessions).toEqual(["fresh", ...Array<string>(5).fill("resume")]);
    expect(done.run.total_cost_usd).toBeCloseTo(0.37, 6);
  });

  it("gives up after four attempts with the last output", async () => {
    const project = await tempProject({});

    const done = await simulate("review-gate", project, [...TASK, "--var", `check=${failing(9)}`]);

    expect(done).toMatchObject({
      exitCode: 0,
      stdout: "The tests still fail, see gate/failed.log\n",
    });
    expect(await project.read("gate/failed.log")).toBe("run 4 is red\n");
  });

  it("passes without a check", async () => {
    const done = await simulate("review-gate", await tempProject({}), TASK);

    expect(done).toMatchObject({ exitCode: 0 });
    expect(done.run.total_cost_usd).toBeCloseTo(0.27, 6);
  });
});
