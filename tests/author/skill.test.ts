import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import matter from "gray-matter";
import { describe, expect, it } from "vitest";
import { lint } from "../../src/author/lint.ts";
import { test } from "../../src/author/test.ts";
import { runCommandLine } from "../../src/cli/parse/tree.ts";
import { exitCodeOfRun } from "../../src/cli/words/exit-codes.ts";
import { TAGS } from "../../src/language/protocol/transition.ts";
import { thisProcess } from "../../src/wire/caller.ts";
import { tempFolder } from "../support/folders.ts";
import { testShell } from "../support/test-shell.ts";
import { blocksOf, placeExample } from "../support/workflow/lint-examples.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const PLACE = ".claude/skills/raymond/SKILL.md";

async function initSkill(cwd: string, ...more: readonly string[]) {
  const shell = testShell(cwd);
  const words = ["node", "raymond", "init", "--skill", ...more];
  const error: unknown = await runCommandLine(words, shell).catch((reason: unknown) => reason);
  return { error, out: shell.stdout() };
}

describe("skill and llms.txt", () => {
  it.each(["skills/raymond/SKILL.md", "llms.txt"])(
    "%s: its example has no finding, and its tests pass",
    async (page) => {
      const files = blocksOf(await readFile(path.join(ROOT, page), "utf8"));
      const folder = path.join(await tempFolder(), "flow");
      const workflow = await placeExample(files, folder);

      expect((await lint({ workflow })).findings).toEqual([]);
      const { files: tested } = await test(
        { paths: [workflow], exitCodeOf: exitCodeOfRun },
        thisProcess(),
      );
      const results = tested.flatMap((file) => file.results);
      expect(results.length).toBeGreaterThan(0);
      expect(results.flatMap(({ mismatches }) => mismatches)).toEqual([]);
    },
  );

  it("names only existing tags, commands and pages", async () => {
    const skill = await readFile(path.join(ROOT, "skills/raymond/SKILL.md"), "utf8");
    const index = await readFile(path.join(ROOT, "llms.txt"), "utf8");

    expect(matter(skill, {}).data).toMatchObject({ name: "raymond" });
    for (const [, tag = ""] of skill.matchAll(/^\| `<([\w-]+)/gm)) expect(TAGS).toContain(tag);
    const pages = [...index.matchAll(/\]\(([^)]+)\)/g)].map(([, page = ""]) => page);
    expect(pages.length).toBeGreaterThan(8);
    for (const page of pages) await readFile(path.join(ROOT, page), "utf8");
  });
});

describe("raymond init --skill", () => {
  it("installs the skill for Claude Code, also repeatedly", async () => {
    const cwd = await tempFolder();

    expect((await initSkill(cwd)).out).toContain(`Wrote ${PLACE}`);
    const written = await readFile(path.join(cwd, PLACE), "utf8");
    expect(matter(written, {}).data).toMatchObject({ name: "raymond" });

    const again = (await initSkill(cwd, "--json")).out;
    expect(JSON.parse(again)).toMatchObject({ outcome: "there already" });
    expect(await readFile(path.join(cwd, PLACE), "utf8")).toBe(written);
  });

  it("updates an older copy, but not a modified one", async () => {
    const cwd = await tempFolder();
    await initSkill(cwd);
    const file = path.join(cwd, PLACE);
    const written = await readFile(file, "utf8");

    await writeFile(file, written.replace("A workflow is a folder.", "Mine."));
    expect((await initSkill(cwd)).error).toMatchObject({ code: "workflow/skill-changed" });
    expect(await readFile(file, "utf8")).toContain("Mine.");

    await writeFile(file, written.replaceAll("\n", "\r\n"));
    expect((await initSkill(cwd)).out).toContain(`Updated ${PLACE}`);
    expect(await readFile(file, "utf8")).toBe(written);
  });

  it("refuses a template", async () => {
    expect((await initSkill(await tempFolder(), "ralph")).error).toMatchObject({
      message: expect.stringContaining("--skill") as string,
    });
  });
});
