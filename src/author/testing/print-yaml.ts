import { Document, isCollection, isScalar, visit } from "yaml";

/** Prints YAML for a test file: short lists on one line, multi-line texts as blocks. */
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

/** As the value of a key in this column, from 1. */
export function printBelow(value: unknown, column: number): string {
  const [first = "", ...rest] = printYaml({ k: value }).slice("k:".length).trimEnd().split("\n");
  const indent = " ".repeat(column - 1);
  const lines = rest.map((line) => (line === "" ? line : indent + line));
  return [first.trimStart(), ...lines].join("\n");
}

/** As flow YAML on one line. */
export function printInline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printInline).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(
      ([key, one]) => `${printInline(key)}: ${printInline(one)}`,
    );
    return `{ ${entries.join(", ")} }`;
  }
  // A JSON string is a valid YAML string.
  if (typeof value === "string" && /[\n\r]/.test(value)) return JSON.stringify(value);
  const list = new Document([value]);
  if (isCollection(list.contents)) list.contents.flow = true;
  return list.toString(PRINTED).trim().slice(1, -1).trim();
}

const LINE = 90;

/** Never wraps lines. */
const PRINTED = { lineWidth: 0, flowCollectionPadding: false } as const;
