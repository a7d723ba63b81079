import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { LINT_RULES } from "../../src/analysis/lint/lint-workflow.ts";
import { lint } from "../../src/author/lint.ts";
import { thisProcess } from "../../src/wire/caller.ts";
import { backendFacts } from "../support/backend-facts.ts";
import { tempFolder } from "../support/folders.ts";
import {
  describedRules,
  type ExampleFile,
  placeExample,
} from "../support/workflow/lint-examples.ts";

const page = await readFile(path.join(import.meta.dirname, "../../docs/lint.md"), "utf8");
const rules = describedRules(page);

/** Rules and places of what lint finds in an example. */
async function findingsIn(files: readonly ExampleFile[]): Promise<readonly string[]> {
  const cwd = await tempFolder();
  const workflow = await placeExample(files, path.join(cwd, "flow"));
  const marks = new Set(files.flatMap((file) => file.marks));
  const { findings } = await lint(
    {
      workflow,
      platform: marks.has("windows") ? "windows" : "unix",
      agents: ["claude", "codex"].map((name) => backendFacts({}, name)),
      backend: marks.has("plain") ? backendFacts({ tools: false }) : undefined,
    },
    thisProcess({
      cwd,
      env: { ...process.env, ...(marks.has("edit") && { RAYMOND_PERMISSIONS: "edit" }) },
    }),
  );
  return findings.map(({ rule, severity }) => `${rule} ${severity}`);
}

describe("docs/lint.md", () => {
  it("has all rules, in their order, with their titles and severities", () => {
    expect(rules.map(({ id, title, severity }) => ({ id, title, severity }))).toEqual(
      LINT_RULES.map(({ id, title, severity }) => ({ id, title, severity })),
    );
  });

  it.each(rules)("has an example in which $id finds $title", async ({ id, found }) => {
    const ids = (await findingsIn(found)).map((one) => one.split(" ")[0]);

    expect(ids).toContain(id);
    expect(new Set(ids).size, ids.join()).toBe(1);
  });

  it.each(rules)("has an example in which nothing is found, for $id", async ({ good }) => {
    expect(good).not.toEqual([]);
    expect(await findingsIn(good)).toEqual([]);
  });
});
