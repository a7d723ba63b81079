import { describe, expect, it } from "vitest";
import { tempProject } from "../support/project.ts";
import { simulate } from "./simulate.ts";

describe("workflows/map-and-merge", () => {
  it("combines the answers of ten agents", async () => {
    const project = await tempProject({});

    const done = await simulate("map-and-merge", project, ["--input", "How fast are we?"]);

    expect(done).toMatchObject({ exitCode: 0, stdout: "All ten parts are good enough.\n" });
    expect(done.visited("main")).toEqual(["START.sh", "MERGE.sh", "SUMMARIZE.md"]);
    const answers = JSON.parse(
      await project.read("map-and-merge/answers.json"),
    ) as readonly object[];
    expect(answers).toHaveLength(10);
    expect(answers[9]).toEqual({
      ...{ agent: "main_look10", state: "LOOK.md", attributes: { part: "names" } },
      ...{ ok: true, result: "Of names: good enough." },
    });
    expect(await project.read("map-and-merge/question.txt")).toBe("How fast are we?");
  });
});
