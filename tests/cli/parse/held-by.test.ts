import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = path.join(import.meta.dirname, "..", "..", "..");

interface Page {
  readonly file: string;
  /** Its promises: the rows of tables whose last column says what holds them. */
  readonly rows: readonly string[];
  /** Each test that it names: its file, and words of its title. */
  readonly named: readonly (readonly [file: string, title: string])[];
}

/** The promises that a page makes, and the tests that it names for them. */
async function pageOf(file: string): Promise<Page> {
  const text = await readFile(path.join(ROOT, "docs", file), "utf8");
  const tables = text.split("\n\n").filter((part) => /^\|.*\| held by \|$/m.test(part));
  const rows = tables.flatMap((table) => table.trim().split("\n").slice(2));
  const named = [...text.matchAll(/`(tests\/[\w./-]+\.ts)`: ((?:"[^"]+"(?:, )?)+)/g)];
  return {
    file,
    rows,
    named: named.flatMap(([, test = "", titles = ""]) =>
      [...titles.matchAll(/"([^"]+)"/g)].map(([, title = ""]) => [test, title] as const),
    ),
  };
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

const pages = await Promise.all(["security-tests.md", "durability.md", "cli.md"].map(pageOf));

describe.each(pages)("docs/$file", ({ rows, named }) => {
  it.each(named)("names an existing test: %s, %s", async (file, title) => {
    const text = await readFile(path.join(ROOT, file), "utf8");
    // Titles stand in quotes, on one line, with `%s` and the like in them.
    expect(text).toMatch(new RegExp(`["\`][^"\\n]*${escaped(title)}[^"\\n]*["\`]`));
  });

  it("has a test for each of its promises", () => {
    expect(rows.length).toBeGreaterThan(6);
    for (const row of rows) expect(row).toMatch(/`tests\/[\w./-]+\.ts`: "/);
    expect(named.length).toBeGreaterThanOrEqual(rows.length);
  });
});

describe("docs/security.md", () => {
  it("names for each attack the row of its tests, and each row of tests is named", async () => {
    const [security = "", tests = ""] = await Promise.all(
      ["security.md", "security-tests.md"].map((page) =>
        readFile(path.join(ROOT, "docs", page), "utf8"),
      ),
    );
    const attacks = security
      .split("\n\n")
      .filter((part) => part.startsWith("| attack |"))
      .flatMap((table) => table.split("\n").slice(2));
    const linked = attacks.map(
      (row) => /\[(\w\d+)\]\(security-tests\.md#[\w-]+\) \|$/.exec(row)?.[1],
    );
    const held = [...tests.matchAll(/^\| (\w\d+)/gm)].map(([, id]) => id);

    expect(linked).not.toContain(undefined);
    expect(new Set(linked)).toEqual(new Set(held));
  });
});
