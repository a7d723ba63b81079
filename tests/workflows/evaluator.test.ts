import { describe, expect, it } from "vitest";
import { tempProject } from "../support/project.ts";
import { simulate } from "./simulate.ts";

describe("workflows/evaluator", () => {
  it("improves the draft until the evaluator returns YES", async () => {
    const project = await tempProject({});

    const done = await simulate("evaluator", project, ["--input", "A release note"]);

    expect(done).toMatchObject({
      exitCode: 0,
      stdout: "Approved, rounds: 3, see evaluator/draft.md\n",
    });
    const judged = ["EVALUATE.md", "JUDGED.sh"];
    expect(done.visited("main")).toEqual([
      ...["START.sh", "WRITE.md", ...judged],
      ...["IMPROVE.md", ...judged],
      ...["IMPROVE.md", ...judged],
    ]);
    expect(await project.read("evaluator/task.md")).toBe("A release note");
    expect(await project.read("evaluator/verdict.md")).toBe("YES");
  });

  it("continues the conversation of the writer, and starts a new one for each evaluation", async () => {
    const project = await tempProject({});

    const { events } = await simulate("evaluator", project);

    const modes = (state: string) =>
      events.flatMap((event) =>
        event.type === "step.started" && event.state === state ? [event.session] : [],
      );
    expect(modes("EVALUATE.md")).toEqual(["fresh", "fresh", "fresh"]);
    expect(modes("IMPROVE.md")).toEqual(["resume", "resume"]);
    expect(await project.read("evaluator/task.md")).toContain("why the sky is blue");
  });

  it("ends without approval after the maximum number of rounds", async () => {
    const project = await tempProject({});

    const done = await simulate("evaluator", project, ["--var", "max_rounds=2"]);

    expect(done).toMatchObject({
      exitCode: 0,
      stdout: "Not approved, rounds: 2, see evaluator/draft.md and evaluator/verdict.md\n",
    });
    expect(await project.read("evaluator/verdict.md")).toBe(
      "NO: It still uses the word wavelength.",
    );
  });
});
