import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { LINT_RULES, lintWorkflow } from "../../../src/analysis/lint/lint-workflow.ts";
import type { Platform } from "../../../src/language/workflow/files/platform.ts";
import { UNSET } from "../../../src/machine/decide/permissions.ts";
import { seededRandom } from "../../fuzz/seeded-random.ts";
import { backendFacts } from "../../support/backend-facts.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { type Files, lintFacts } from "../../support/workflow/lint-facts.ts";
import { type Choose, groundOf, MUTATORS } from "../../support/workflow/lint-mutants.ts";

const WORKFLOWS = path.join(import.meta.dirname, "..", "..", "..", "workflows");
/** `test_cases` is a heap of beginnings, some of which fail on purpose. */
const NAMES = readdirSync(WORKFLOWS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== "test_cases")
  .map(({ name }) => name);
const SAMPLES = NAMES.map((name) => [name, filesOf(path.join(WORKFLOWS, name))] as const);

const SCRIPTED = SAMPLES.filter(([, files]) => groundOf(files).scripts.length > 0);

/** Each mistake is planted at so many places of each sample. */
const SEEDS = propertyRuns(4);

function filesOf(folder: string): Files {
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    names.map(({ name }) => [name, readFileSync(path.join(folder, name), "utf8")]),
  );
}

function rulesIn(files: Files, platform: Platform = "unix"): readonly string[] {
  return lintWorkflow(lintFacts(files, platform)).map(({ rule, message }) => `${rule} ${message}`);
}

describe("the sample workflows", () => {
  it.each(SAMPLES)("are clean: %s", (_, files) => {
    expect(rulesIn(files)).toEqual([]);
    expect(rulesIn(files, "windows")).toEqual([]);
  });
});

describe.each(MUTATORS)("a mistake for $rule", ({ rule, also = [], platform, plant }) => {
  it("is found by its rule only, at any position", () => {
    let planted = 0;
    for (const [name, files] of SAMPLES) {
      const ground = groundOf(files);
      for (let seed = 0; seed < SEEDS; seed += 1) {
        const dice = seededRandom(`${rule} ${name} ${String(seed)}`);
        const choose: Choose = (list) => list[dice(Math.max(1, list.length))];
        const mutant = plant(ground, choose);
        if (mutant === null) continue;
        planted += 1;
        const found = rulesIn(mutant, platform);
        const ids = found.map((one) => one.slice(0, 6));
        const where = `${name}, seed ${String(seed)}`;
        expect(ids, where).toContain(rule);
        expect(
          found.filter((one) => ![rule, ...also].some((id) => one.startsWith(id))),
          where,
        ).toEqual([]);
      }
    }
    expect(planted).toBeGreaterThan(0);
  });
});

describe("environment-dependent rules", () => {
  it.each(SAMPLES)("reports a backend without tool lists: %s", (_, files) => {
    const name = groundOf(files).prompts[0]?.name ?? "";
    const limited = {
      ...files,
      [name]: (files[name] ?? "")
        .replace(/^---\n/, "---\ntools: [Read]\n")
        .replace(/^(tools: .*\n[\s\S]*?)^tools: .*\n/m, "$1"),
    };
    const facts = { ...lintFacts(limited), backend: backendFacts({ tools: false }) };

    const ids = new Set(lintWorkflow(facts).map(({ rule }) => rule));
    // Other prompts of the same conversation have other tools.
    ids.delete("RAY605");
    expect([...ids]).toEqual(["RAY603"]);
  });

  it.each(SAMPLES)("reports a state that asks for more than the user allows: %s", (_, files) => {
    const name = groundOf(files).prompts[0]?.name ?? "";
    const asking = {
      ...files,
      [name]: (files[name] ?? "")
        .replace(/^permissions: .*\n/m, "")
        .replace(/^---\n/, "---\npermissions: full\n"),
    };
    const user = { ...UNSET, permissions: "full", skipPermissions: false } as const;

    expect(lintWorkflow({ ...lintFacts(asking), user })).toEqual([]);
    const found = lintWorkflow({ ...lintFacts(asking), user: { ...user, permissions: "edit" } });
    expect(found.filter(({ source }) => source === name)).toMatchObject([
      { rule: "RAY606", severity: "warning", at: { line: 2 } },
    ]);
    const unset = lintWorkflow({ ...lintFacts(asking), user: null });
    expect(unset.filter(({ source }) => source === name)).toMatchObject([
      { rule: "RAY606", severity: "note", at: { line: 2 } },
    ]);
  });

  it.each(SCRIPTED)("reports a script that its shell cannot parse: %s", (_, files) => {
    const { scripts } = groundOf(files);
    const problem = { at: { line: 3, column: 1 }, message: "No.", hint: "Fix it." };
    const syntax = new Map(scripts.slice(0, 1).map(({ name }) => [name, problem]));

    expect(lintWorkflow({ ...lintFacts(files), syntax }).map(({ rule }) => rule)).toEqual([
      "RAY701",
    ]);
  });

  it("reports a workflow that cannot be entered", () => {
    const [, files = {}] = SAMPLES.find(([name]) => name === "library") ?? [];
    const fault = { code: "bad-workflow", message: "It is not there." } as const;
    const workflows = new Map([["judge", { ok: false, fault } as const]]);

    const found = lintWorkflow({ ...lintFacts(files), workflows });
    expect(new Set(found.map(({ rule, severity }) => `${rule} ${severity}`))).toEqual(
      new Set(["RAY801 error", "RAY801 warning"]),
    );
  });

  it("has a mutator for every other rule", () => {
    const world = ["RAY109", "RAY110", "RAY603", "RAY606", "RAY701", "RAY801"];
    const planted = [...MUTATORS.map(({ rule }) => rule), ...world].sort();

    expect(planted).toEqual(LINT_RULES.map(({ id }) => id));
  });
});
