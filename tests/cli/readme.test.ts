import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = path.join(import.meta.dirname, "../..");
const readme = readFileSync(path.join(ROOT, "README.md"), "utf8");
const manifest = readFileSync(path.join(ROOT, "package.json"), "utf8");

describe("README.md", () => {
  it("names the tarball that npm makes, and scripts that are there", () => {
    const version = /"version": "(.*)"/.exec(manifest)?.[1] ?? "?";

    expect(readme).toContain(`raymond-${version}.tgz`);
    for (const [, script = ""] of readme.matchAll(/npm run ([\w:]+)/g)) {
      expect(manifest).toContain(`"${script}":`);
    }
  });

  it("links to what is there", () => {
    for (const [, target = ""] of readme.matchAll(/\]\((?!https:)([^)]+)\)/g)) {
      expect(existsSync(path.join(ROOT, target)), target).toBe(true);
    }
  });
});

describe("docs/contributing.md", () => {
  it("leads to files that are there", () => {
    const page = readFileSync(path.join(ROOT, "docs/contributing.md"), "utf8");
    const table = page.split("\n").filter((line) => line.startsWith("| "));

    expect(table.length).toBeGreaterThan(10);
    for (const [, file = ""] of table.join("\n").matchAll(/`((?:src|docs)\/[^`]+)`/g)) {
      expect(existsSync(path.join(ROOT, file)), file).toBe(true);
    }
  });
});
