import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseStateFile } from "../../../../src/language/workflow/files/parse-state-file.ts";
import { findEntry } from "../../../../src/language/workflow/policy/entry.ts";
import { stateProblem } from "../../../../src/language/workflow/state-problem.ts";

const guide = readFileSync(new URL("../../../../docs/authoring.md", import.meta.url), "utf8");

/** The workflows under "Complete examples": a heading each, and below it files by their names. */
const examples = guide
  .slice(guide.indexOf("\n## Complete examples"), guide.indexOf("\n# Reference"))
  .split("\n### ")
  .slice(1)
  .map((section) => ({
    title: section.slice(0, section.indexOf("\n")),
    files: [...section.matchAll(/^`(\w+\.(?:md|sh))`\n\n```\w+\n(.*?)^```$/gms)].map(
      ([, name = "", text = ""]) => ({ name, text }),
    ),
  }));

describe("the guide for authors", () => {
  it("has examples", () => {
    expect(examples.length).toBeGreaterThanOrEqual(4);
  });

  it.each(examples)("shows a workflow without a fault: $title", ({ files }) => {
    const names = files.map(({ name }) => name);

    expect(() => findEntry(names, "unix")).not.toThrow();
    for (const { name, text } of files) {
      const file = parseStateFile(name, text);
      expect(file.warnings).toEqual([]);
      expect(stateProblem(file, names, "unix")).toBeNull();
    }
  });
});
