import { describe, expect, it } from "vitest";
import { tempProject } from "../support/project.ts";
import { simulate } from "./simulate.ts";

describe("workflows/library", () => {
  it("revises a text until the called workflow accepts it", async () => {
    const project = await tempProject({});

    const done = await simulate("library", project, ["--input", "a release note"]);

    expect(done).toMatchObject({
      exitCode: 0,
      stdout: "A release note of four lines, with its date.\n",
    });
    expect(done.visited("main")).toEqual([
      "START.md",
      ...["./judge/START.md", "./judge/VERDICT.md", "IMPROVE.md"],
      ...["./judge/START.md", "./judge/VERDICT.md", "IMPROVE.md"],
    ]);
    const entered = done.events.filter(({ state, type }) => {
      return type === "step.started" && state === "./judge/START.md";
    });
    expect(entered.map(({ session }) => session)).toEqual(["fresh", "fresh"]);
  });
});
