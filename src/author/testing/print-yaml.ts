import { Document, isCollection, isScalar, visit } from "yaml";

/** Plain data as YAML that reads best in a test file: short lists on one line, texts of several lines as they are. */
export function printYaml(value: unknown): string {
  const document = new Document(value);
  visit(document, {
    Seq(_, list) {
      const items = list.items.map((item) => (isScalar(item) ? String(item.value) : "\n"));
      if (!items.join().includes("\n") && items.join(", ").length < LINE) list.flow = true;
    },
  });
  return document.toString(PRINTED);
}

/** The same for the value of a key in this column, starting at 1. */
export function printBelow(value: unknown, column: number): string {
  const [first = "", ...rest] = printYaml({ k: value }).slice("k:".length).trimEnd().split("\n");
  const indent = " ".repeat(column - 1);
  const lines = rest.map((line) => (line === "" ? line : indent + line));
  return [first.trimStart(), ...lines].join("\n");
}

/** The same within a `{ … }` or `[ … ]`, on one line. */
export function printInline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printInline).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(
      ([key, one]) => `${printInline(key)}: ${printInline(one)}`,
    );
    return `{ ${entries.join(", ")} }`;
  }
  // Read as YAML, a text in JSON is that text.
  if (typeof value === "string" && /[\n\r]/.test(value)) return JSON.stringify(value);
  const list = new Document([value]);
  if (isCollection(list.contents)) list.contents.flow = true;
  return list.toString(PRINTED).trim().slice(1, -1).trim();
}

/** Maximum length of a flow list on one line, characters. */
const LINE = 90;

/** No text is broken into lines that it has not. */
const PRINTED = { lineWidth: 0, flowCollectionPadding: false } as const;
