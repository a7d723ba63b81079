import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import matter from "gray-matter";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import * as z from "zod";
import { publishedSchemas } from "../../scripts/generators/schemas/published.ts";
import { configTemplate } from "../../src/author/init-config.ts";
import { RaymondError } from "../../src/language/basics/errors.ts";
import { parsePrompt } from "../../src/language/workflow/front-matter.ts";
import { folderToFile } from "../../src/scopes/convert.ts";
import { SAMPLES, WORKFLOWS } from "../workflows/sample.ts";

const SCHEMAS = path.join(import.meta.dirname, "../../schemas");

/** What a schema says of some data, judged by a reader of JSON Schema. */
function check(name: string): (data: unknown) => boolean {
  const text = publishedSchemas().get(`${name}.schema.json`) ?? "";
  const schema = z.fromJSONSchema(JSON.parse(text) as Parameters<typeof z.fromJSONSchema>[0]);
  return (data) => schema.safeParse(data).success;
}

const frontMatter = check("front-matter");

describe("the schemas for editors", () => {
  it("match the generated ones (npm run schema)", async () => {
    const generated = publishedSchemas();

    expect((await readdir(SCHEMAS)).sort()).toEqual([...generated.keys()].sort());
    for (const [name, text] of generated) {
      expect(await readFile(path.join(SCHEMAS, name), "utf8"), name).toBe(text);
    }
  });

  it.each(SAMPLES)("accept the workflow %s: its files, and the single file", async (sample) => {
    const folder = path.join(WORKFLOWS, sample);
    const kinds = [
      ["/workflow.yaml", check("workflow")],
      [".sim.yaml", check("simulation")],
      [".test.yaml", check("test")],
    ] as const;

    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
    for (const file of files) {
      const text = await readFile(path.join(folder, file), "utf8");
      const [, accepts] = kinds.find(([ending]) => `/${file}`.endsWith(ending)) ?? [];
      if (accepts !== undefined) expect(accepts(parseYaml(text)), file).toBe(true);
      if (file.endsWith(".md")) expect(frontMatter(matter(text, {}).data), file).toBe(true);
    }
    if (!files.some((file) => /^(?:1_)?START\./.test(file))) return;
    const { text } = await folderToFile(folder);
    expect(check("single-file")(parseYaml(text))).toBe(true);
  });

  it("accept the configuration that --init-config writes, with every setting", () => {
    const all = configTemplate().replaceAll(/^# (?=\w+ = )/gm, "");

    expect(Object.keys(parseToml(all)["raymond"] as object).length).toBeGreaterThan(20);
    expect(check("config")(parseToml(all))).toBe(true);
  });

  it.each([
    ["workflow", "nam: x"],
    ["workflow", "max_parallel: none"],
    ["workflow", "vars: { item: { option: [a] } }"],
    ["workflow", "states: {}"],
    ["single-file", "name: x"],
    ["single-file", "states: { A: { text: x } }"],
    ["single-file", "states: { A: { prompt: x, sh: y } }"],
    ["single-file", "states: { A: { sh: x, model: opus } }"],
    ["simulation", "states: { A: [{ replay: x }] }"],
    ["simulation", "states: { A: [{ reply: x, times: never }] }"],
    ["simulation", "states: { A: [{ fail: maybe }] }"],
    ["simulation", "state: {}"],
    ["test", "tests: { one: { expect: { stauts: failed } } }"],
    ["test", "tests: { one: { expect: { status: running } } }"],
    ["test", "tests: { one: { expect: { steps: [{ sate: A }] } } }"],
    ["test", "{ max_steps: 0, tests: { one: {} } }"],
    ["test", "{ settings: { bugdet: 1 }, tests: { one: {} } }"],
    ["config", "raymond: { max_parallel: 0 }"],
    ["config", "raymond: { effort: hihg }"],
    ["config", "budget: 1"],
  ])("reject in a %s: %s", (name, text) => {
    expect(check(name)(parseYaml(text))).toBe(false);
  });

  /** Valid and invalid values of front matter keys. */
  const VALUES = [
    ...["opus", "high", "hihg", "90s", "1h30m", "30m1h", "90", "0", "-1", "1.5", '"2.50"', "2.50"],
    ...["read-only", "[command(npm test *), read(.env)]", "[comand(x)]", "[command()]"],
    ...["120k", "70%", "1.5M", "true", "HANDOFF", "../A", "..", "-p", '""', "{}", "[]"],
    ...[
      "ask",
      "[Read, Edit]",
      "[Read, 3]",
      "[-p]",
      "[{ tag: goto, target: A }]",
      "[{ tag: goto }]",
    ],
    ...["[{ target: A }]", "[{ tag: gto }]", "[{ tag: goto, return: A }]", "[{ tag: result }]"],
    ...["[{ tag: call, target: A, return: B }]", "[{ tag: fork, target: A, next: B, item: 1 }]"],
    ...["[{ tag: function-workflow, target: ../lib, return: A }]", "[{ tag: fork-workflow }]"],
    ...["[{ tag: goto, target: A, verify: B, attempts: 3, on_fail: C }]"],
    ...["[{ tag: reset, target: A, frames: some }]", "[{ tag: goto, target: a/b }]"],
    ...["[{ tag: ask, next: A, options: yes|no }]", "[{ tag: join, target: A, min: 2 }]"],
    ...["[{ tag: goto, target: A, delay: 5m }]", "[{ tag: goto, target: A, delay: soon }]"],
  ];
  const schema = JSON.parse(publishedSchemas().get("front-matter.schema.json") ?? "") as {
    readonly properties: Readonly<Record<string, unknown>>;
  };
  const keys = Object.keys(schema.properties);

  it.each(keys)("accept and reject the same %s in front matter as raymond", (key) => {
    const companion =
      key === "max_context" ? "on_context: A\n" : key === "on_context" ? "max_context: 1k\n" : "";
    const judged = VALUES.map((value) => {
      const block = `${key}: ${value}\n${companion}`;
      return { block, raymond: isRead(block), schema: frontMatter(parseYaml(block)) };
    });

    expect(judged.filter(({ raymond, schema }) => raymond !== schema)).toEqual([]);
    expect(judged.some(({ raymond }) => raymond)).toBe(true);
    expect(judged.some(({ raymond }) => !raymond)).toBe(true);
  });
});

function isRead(block: string): boolean {
  try {
    parsePrompt("A.md", `---\n${block}---\nDo it.`);
    return true;
  } catch (error) {
    if (error instanceof RaymondError) return false;
    throw error;
  }
}
