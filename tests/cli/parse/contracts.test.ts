import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = path.join(import.meta.dirname, "..", "..", "..");

/** A row of the table in docs/contributing.md, "Ports and contract suites". */
interface Row {
  readonly port: string;
  /** Null: one keeps it. */
  readonly suite: string | null;
  readonly files: readonly string[];
}

async function rowsOfTable(): Promise<readonly Row[]> {
  const text = await readFile(path.join(ROOT, "docs", "contributing.md"), "utf8");
  const section = text.split("## Ports and contract suites")[1]?.split("\n## ")[0] ?? "";
  const rows = section.matchAll(/^\| ([a-z-]+) \| (?:–|`([^`]+)`) \| (`.*`) \|$/gm);
  return [...rows].map(([, port = "", suite = null, files = ""]) => ({
    port,
    suite,
    files: [...files.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => file),
  }));
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(path.join(ROOT, folder))).map((name) => name.replace(/\.ts$/, "")).sort();
}

/** The tests that call what a suite exports. */
async function usersOf(suite: string): Promise<readonly string[]> {
  const tests = (await readdir(path.join(ROOT, "tests"), { recursive: true }))
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `tests/${name}`);
  const suites = [...(await readFile(path.join(ROOT, suite), "utf8")).matchAll(SUITE)];
  const calls = new RegExp(`^\\s*(?:${suites.map(([, name]) => name).join("|")})\\(`, "m");
  const users = await Promise.all(
    tests.map(async (test) =>
      calls.test(await readFile(path.join(ROOT, test), "utf8")) ? [test] : [],
    ),
  );
  return users.flat().sort();
}

const SUITE = /^export function (describe\w+)/gm;

const rows = await rowsOfTable();

describe("the table of ports and their suites", () => {
  it("has every port, and every suite", async () => {
    expect(rows.map(({ port }) => port)).toEqual(await namesIn("src/engine/ports"));
    expect(rows.flatMap(({ suite }) => (suite === null ? [] : [suite])).sort()).toEqual(
      (await namesIn("tests/contracts")).map((name) => `tests/contracts/${name}.ts`),
    );
  });

  it.each(rows.filter(({ suite }) => suite !== null))(
    "says who runs the suite of $port",
    async ({ suite, files }) => {
      expect(files).toEqual(await usersOf(suite ?? ""));
    },
  );

  it.each(rows.filter(({ suite }) => suite === null))("says who alone keeps $port", ({ files }) => {
    expect(files).toHaveLength(1);
    expect(files.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  });
});
