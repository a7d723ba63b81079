import { describe, expect, it } from "vitest";
import { tempProject } from "../support/project.ts";
import { simulate } from "./simulate.ts";

describe("workflows/findings", () => {
  it("sends a result without a summary back, and passes its fields on", async () => {
    const project = await tempProject({});

    const done = await simulate("findings", project, ["--input", "Where are errors ignored?"]);

    expect(done).toMatchObject({
      exitCode: 0,
      stdout: "The report names one place, in src/a.ts.\n",
    });
    expect(await project.read("findings/question.md")).toBe("Where are errors ignored?");
    const reminded = done.events.filter(({ type }) => type === "agent.reminded");
    expect(reminded.map(({ state }) => state)).toEqual(["FIND.md"]);
    expect(done.visited("main")).toEqual(["START.sh", "FIND.md", "FIND.md", "REPORT.md"]);
  });
});
