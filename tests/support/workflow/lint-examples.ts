import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

/** A file of an example: a code block of docs/lint.md whose first line is its name. */
export interface ExampleFile {
  readonly name: string;
  readonly text: string;
  /** Flags after the name: `crlf`, `bom`, `huge`, `windows`, `plain`. */
  readonly marks: readonly string[];
}

/** The description of a rule in docs/lint.md. */
export interface DescribedRule {
  readonly id: string;
  readonly title: string;
  /** The first word below the heading. */
  readonly severity: string;
  readonly found: readonly ExampleFile[];
  readonly good: readonly ExampleFile[];
}

/** The rules of the page, in order. */
export function describedRules(page: string): readonly DescribedRule[] {
  return page
    .split(/^## /m)
    .filter((section) => section.startsWith("RAY"))
    .map((section) => {
      const [heading = "", , below = ""] = section.split("\n");
      const [id = "", title = ""] = heading.split(": ");
      const [found = "", good = ""] = section.split(/^Good:$/m);
      const severity = (below.split(".")[0] ?? "").toLowerCase();
      return { id, title, severity, found: blocksOf(found), good: blocksOf(good) };
    });
}

/** Writes an example into the folder. Returns the path to lint: the folder, or its only file. */
export async function placeExample(files: readonly ExampleFile[], folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const { name, text } of files) await writeFile(path.join(folder, name), text);
  const [first] = files;
  return first?.name.endsWith(".yaml") === true ? path.join(folder, first.name) : folder;
}

/** Files in the code blocks of a page. The first line of a block is the name. */
export function blocksOf(text: string): readonly ExampleFile[] {
  return [...text.matchAll(/^```\w+ (\S+)(.*)\n([\s\S]*?)^```$/gm)].map(
    ([, name = "", more = "", body = ""]) => {
      const marks = more.trim().split(" ");
      const lines = marks.includes("crlf") ? body.replaceAll("\n", "\r\n") : body;
      if (marks.includes("huge")) return { name, marks, text: `${lines}${"xx\n".repeat(4e6)}` };
      return { name, marks, text: marks.includes("bom") ? `\uFEFF${lines}` : lines };
    },
  );
}
