import { existsSync, readFileSync } from "node:fs";
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

  it("links to existing files", () => {
    for (const [, target = ""] of readme.matchAll(/\]\((?!https:)([^)]+)\)/g)) {
      expect(existsSync(path.join(ROOT, target)), target).toBe(true);
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

describe("docs/contributing.md", () => {
  it("links to existing files", () => {
    const page = readFileSync(path.join(ROOT, "docs/contributing.md"), "utf8");
    const table = page.split("\n").filter((line) => line.startsWith("| "));

    expect(table.length).toBeGreaterThan(10);
    for (const [, file = ""] of table.join("\n").matchAll(/`((?:src|docs)\/[^`]+)`/g)) {
      expect(existsSync(path.join(ROOT, file)), file).toBe(true);
    }
  });
});
