import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = path.join(import.meta.dirname, "..", "..");
const page = await readFile(path.join(ROOT, "docs", "security.md"), "utf8");

/** Each test that the page names: its file, and words of its title. */
const named = [...page.matchAll(/`(tests\/[\w./-]+\.ts)`: ((?:"[^"]+"(?:, )?)+)/g)].flatMap(
  ([, file = "", titles = ""]) =>
    [...titles.matchAll(/"([^"]+)"/g)].map(([, title = ""]) => [file, title] as const),
);

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

describe("docs/security.md", () => {
  it.each(named)("names a test that is there: %s, %s", async (file, title) => {
    const text = await readFile(path.join(ROOT, file), "utf8");
    // Titles stand in double quotes, on one line, with `%s` and the like in them.
    expect(text).toMatch(new RegExp(`"[^"\\n]*${escaped(title)}[^"\\n]*"`));
  });

  it("has a test for each of its promises", () => {
    const rows = page.split("\n").filter((line) => /^\| (?!---|raymond \|)/.test(line));

    expect(rows.length).toBeGreaterThan(20);
    for (const row of rows) expect(row).toMatch(/`tests\/[\w./-]+\.ts`: "/);
    expect(named.length).toBeGreaterThanOrEqual(rows.length);
  });
});
