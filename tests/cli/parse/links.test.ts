import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = path.join(import.meta.dirname, "..", "..", "..");

const docs = (await readdir(path.join(ROOT, "docs"), { recursive: true }))
  .filter((name) => name.endsWith(".md"))
  .map((name) => path.join("docs", name));

/** Without code, which may look like a link. */
async function proseOf(page: string): Promise<string> {
  const text = await readFile(path.join(ROOT, page), "utf8");
  return text.replaceAll(/```[\s\S]*?```/g, "");
}

/** The anchors of its headings, as GitHub forms them. */
async function anchorsOf(page: string): Promise<readonly string[]> {
  const headings = (await proseOf(page)).matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
}

describe.each(["README.md", ...docs])("%s", (page) => {
  it("links to existing pages and headings", async () => {
    const prose = (await proseOf(page)).replaceAll(/`[^`\n]*`/g, "");
    for (const [, target = ""] of prose.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [file = "", anchor] = target.split("#");
      const linked = file === "" ? page : path.join(path.dirname(page), file);

      expect(existsSync(path.join(ROOT, linked)), target).toBe(true);
      if (anchor !== undefined) expect(await anchorsOf(linked), target).toContain(anchor);
    }
  });
});
