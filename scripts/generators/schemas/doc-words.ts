import { readFileSync } from "node:fs";
import path from "node:path";

const DOCS = path.join(import.meta.dirname, "../../../docs");

/** What the tables of a section say of each key, as plain text. */
export function docWords(page: string, heading: string): ReadonlyMap<string, string> {
  const text = readFileSync(path.join(DOCS, page), "utf8");
  const section = text.split(/^#{2,3} /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`docs/${page} has no section "${heading}"`);
  const words = new Map<string, string>();
  for (const [, keys = "", means = "", standard = ""] of section.matchAll(ROW)) {
    const without = standard === "" || standard === "required" ? "" : ` (without it: ${standard})`;
    for (const [, key = ""] of keys.matchAll(/`([^`]+)`/g)) {
      // A later table may say of a key that it is as above.
      if (!words.has(key)) words.set(key, plain(`${means}${without}`));
    }
  }
  return words;
}

/** Keys, what they mean, and what holds without them, where there is a column for that. */
const ROW = /^\| (`[^|]*`) \| ([^|\n]+?) \|(?: ([^|\n]*?) ?\|)?$/gm;

/** Without its links. */
function plain(cell: string): string {
  const text = cell.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").trim();
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}
