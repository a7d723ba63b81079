import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readTransitions } from "../../../src/language/protocol/output-elements.ts";
import { partsOf } from "../../../src/language/protocol/parts.ts";
import { OutputScanner } from "../../../src/language/protocol/scan/scan.ts";
import { TAG_TABLE } from "../../../src/language/protocol/tag-table.ts";
import { TAGS, type Tag } from "../../../src/language/protocol/transition.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(path.join(ROOT, file), "utf8");
const protocol = read("docs/protocol.md");
/** On one line: where prose wraps does not matter. */
const prose = protocol.replaceAll(/\s+/g, " ");
const authoring = read("docs/authoring.md");
const readme = read("README.md");

/** The rows of the table with these headings, each as its cells. */
function table(page: string, ...headings: readonly string[]): readonly (readonly string[])[] {
  const [, ...behind] = page.split(`| ${headings.join(" | ")} |\n`);
  const [first = ""] = (behind[0] ?? "").split("\n\n");
  const [, ...rows] = first.split("\n").map((row) => row.split(/(?<!\\)\|/).slice(1, -1));
  return rows.map((cells) => cells.map((cell) => cell.trim().replaceAll("\\|", "|")));
}

const code = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(", ");

describe("docs/protocol.md", () => {
  it("has the names of all tags in its grammar", () => {
    const names = TAGS.map((tag) => `"${tag}"`).join(" | ");
    const opaque = TAGS.filter((tag) => TAG_TABLE[tag].content.holds === "text");

    const others = TAGS.filter((tag) => !opaque.includes(tag)).map((tag) => `\`${tag}\``);

    expect(protocol).toContain(`name      = ${names} ;`);
    expect(prose).toContain(
      `That of ${others.slice(0, -1).join(", ")} and ${others.at(-1) ?? ""} holds no`,
    );
    expect(prose).toContain(`tags: ${code(TAGS)}, in lower case`);
    for (const tag of opaque) expect(prose).toContain(`The content of \`${tag}\``);
  });

  it("shows each tag with its attributes and content", () => {
    const rows = table(protocol, "tag", "attributes", "content");

    expect(rows.map(([tag = "", ...rest]) => [shown(tag), ...rest])).toEqual(
      TAGS.map((tag) => [
        { tag, own: TAG_TABLE[tag].attributes.map(({ name }) => name) },
        attributesCell(tag),
        TAG_TABLE[tag].content.means,
      ]),
    );
  });

  it("describes the effects of each tag", () => {
    const rows = table(protocol, "tag", "next step's session", "return stack", "agent's folder");

    expect(rows).toEqual(
      TAGS.flatMap((tag) =>
        TAG_TABLE[tag].effects.map(({ who, session, stack, folder }) => [
          `\`${tag}\`${who === "" ? "" : `, ${who}`}`,
          session,
          stack,
          folder,
        ]),
      ),
    );
  });
});

it("docs/authoring.md lists the keys of a rule for each tag", () => {
  const rows = table(authoring, "tag", "keys of its rule").flatMap(([tags = "", keys = ""]) =>
    [...tags.matchAll(/`([\w-]+)`/g)].map(([, tag]) => [tag, keys]),
  );

  expect(rows).toEqual(TAGS.map((tag) => [tag, ruleCell(tag)]));
});

it("README.md describes tags as the help does, and the tags of one workflow completely", () => {
  const rows = TAGS.filter((tag) => !tag.endsWith("-workflow")).map((tag) => {
    const { example, summary } = TAG_TABLE[tag];
    return [`\`${example}\``, summary.replace(/\{\{\w+\}\}/, "`$&`")];
  });

  expect(table(readme, "tag", "what comes next")).toEqual(rows);
});

/** A tag that is shown in a cell: what it is, and its own attributes. */
function shown(cell: string) {
  const scanner = new OutputScanner();
  scanner.push(cell);
  const reading = scanner.end();
  expect(readTransitions(reading), cell).toMatchObject({ ok: true });
  const [element] = reading.elements;
  const taken = element === undefined ? [] : partsOf(element.tag).map(({ name }) => name as string);
  const written = element?.attributes.map(([name]) => name) ?? [];
  return { tag: element?.tag, own: written.filter((name) => taken.includes(name)) };
}

const OPTIONAL: Readonly<Record<string, string>> = {
  false: " (optional)",
  alone: " (or another tag)",
};

function attributesCell(tag: Tag): string {
  const [, ...own] = partsOf(tag);
  const words = own.map(({ name, required }) => `\`${name}\`${OPTIONAL[String(required)] ?? ""}`);
  const data = TAG_TABLE[tag].startsAgent ? ["any others: data for the worker"] : [];
  return [...words, ...data].join(", ") || "–";
}

function ruleCell(tag: Tag): string {
  const [content, ...own] = partsOf(tag);
  const keys = code([content, ...own].map(({ name }) => name));
  if (!TAG_TABLE[tag].startsAgent) return keys;
  return `${keys}, and any attribute of the worker`;
}
