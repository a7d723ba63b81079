import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = path.join(import.meta.dirname, "..", "..", "..");

interface Source {
  readonly file: string;
  /** Its comments, each as one line: so a citation is found where it is wrapped. */
  readonly comments: string;
}

async function sourcesIn(folder: string): Promise<readonly Source[]> {
  const names = await readdir(path.join(ROOT, folder), { recursive: true });
  const files = names.filter((name) => name.endsWith(".ts")).map((name) => `${folder}/${name}`);
  return Promise.all(
    files.map(async (file) => {
      const comments = (await readFile(path.join(ROOT, file), "utf8")).match(COMMENT) ?? [];
      return { file, comments: comments.join("\n").replace(/\n\s*(?:\*(?!\/)|\/\/) ?/g, " ") };
    }),
  );
}

const COMMENT = /\/\*\*?\s[\s\S]*?\*\/|(?:^|\s)\/\/ .*$/gm;
const CITATION = /\bdocs\/[\w./-]+\.md(?:, "[^"]+")?/g;

const sources = (await Promise.all(["src", "tests"].map(sourcesIn))).flat();

describe("what a comment cites", () => {
  const citations = new Map<string, string>();
  for (const { file, comments } of sources) {
    for (const [citation] of comments.matchAll(CITATION)) citations.set(citation, file);
  }

  it.each([...citations])("exists: %s (%s)", async (citation) => {
    const [, page = "", heading] = /^([^,]*)(?:, "(.*)")?$/.exec(citation) ?? [];
    const lines = (await readFile(path.join(ROOT, page), "utf8")).split("\n");

    expect(
      heading === undefined || lines.some((line) => line.replace(/^#+ /, "") === heading),
    ).toBe(true);
  });

  it("is never the number of a missing document", () => {
    const numbered = /\b(?:spec|contract points?) \d[\d.]*/gi;

    expect(
      sources.flatMap(({ file, comments }) =>
        [...comments.matchAll(numbered)].map(([citation]) => `${file}: ${citation}`),
      ),
    ).toEqual([]);
  });
});
