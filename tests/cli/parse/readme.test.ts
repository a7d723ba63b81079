import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = path.join(import.meta.dirname, "../../..");
const readme = readFileSync(path.join(ROOT, "README.md"), "utf8");
const manifest = readFileSync(path.join(ROOT, "package.json"), "utf8");

describe("README.md", () => {
  it("names the tarball of npm, and existing scripts", () => {
    const version = /"version": "(.*)"/.exec(manifest)?.[1] ?? "?";

    expect(readme).toContain(`raymond-${version}.tgz`);
    for (const [, script = ""] of readme.matchAll(/npm run ([\w:]+)/g)) {
      expect(manifest).toContain(`"${script}":`);
    }
  });
});

describe("docs/glossary.md", () => {
  it("has a whole row in each line of its tables", () => {
    const page = readFileSync(path.join(ROOT, "docs/glossary.md"), "utf8");
    const rows = page.split("\n").filter((line) => line.startsWith("|"));

    expect(rows.filter((row) => row.split("|").length !== 5)).toEqual([]);
  });
});

describe(".dependency-cruiser.mjs", () => {
  it("names only folders that exist", () => {
    const rules = readFileSync(path.join(ROOT, ".dependency-cruiser.mjs"), "utf8");
    const groups = [...rules.matchAll(/\^(src\/(?:[\w-]+\/)*)\(([\w|-]+)\)/g)];

    expect(groups.length).toBeGreaterThan(5);
    for (const [, folder = "", names = ""] of groups) {
      for (const name of names.split("|")) {
        const place = path.join(ROOT, folder, name);
        expect(existsSync(place) || existsSync(`${place}.ts`), place).toBe(true);
      }
    }
  });
});

describe.each(["README.md", "docs/contributing.md", "docs/architecture.md"])("%s", (name) => {
  const page = readFileSync(path.join(ROOT, name), "utf8");

  it("names existing files and folders of the repository", () => {
    const named = [...page.matchAll(PLACE)].map(([place]) => place);

    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((place) => !existsSync(path.join(ROOT, place)))).toEqual([]);
  });

  it("names existing source files where it omits the folder", () => {
    const named = [...page.matchAll(/`((?:[\w-]+\/)*[\w-]+\.ts)`/g)].map(([, file = ""]) => file);

    expect(named.filter((file) => !FILES.some((each) => each.endsWith(`/${file}`)))).toEqual([]);
  });

  it("filters tests by names that exist", () => {
    const tests = FILES.filter((file) => file.endsWith(".test.ts"));
    const texts = tests.map((file) => readFileSync(path.join(ROOT, file), "utf8"));
    const wanted = [...page.matchAll(/ -t "([^"]+)"/g)].map(([, words = ""]) => words);

    expect(wanted.filter((words) => !texts.some((text) => text.includes(words)))).toEqual([]);
  });
});

/** A path from the root of the repository, in prose, code and links. Capitals are placeholders: `src/clients/NAME`. */
const PLACE =
  /(?<![\w./-])(?:\.config|\.github|bin|docs|schemas|skills|src|tests|workflows)(?:\/(?![A-Z]+\b)[\w.-]*\w)+/g;

/** All TypeScript files of the repository, with `/` on every platform. */
const FILES = ["src", "tests"].flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `/${folder}/${file.replaceAll(path.sep, "/")}`),
);
