import { InvalidFileError } from "./errors.ts";
import { quoted } from "./quote.ts";
import type { Entry, ErrorAt, Mapping, Tree } from "./yaml-tree.ts";

/** Without a byte order mark, and with the line ends of Unix. */
export function normalText(text: string): string {
  return text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
}

export function fileErrorAt(path: string): ErrorAt {
  return (at, problem, hint) => new InvalidFileError(path, at, problem, hint);
}

type Readers = Readonly<Record<string, (tree: Tree, key: string, errorAt: ErrorAt) => unknown>>;

/** Reads a mapping with these keys. Throws `errorAt` for other keys. */
export function readFields<R extends Readers>(
  entries: readonly Entry[],
  owner: string,
  readers: R,
  errorAt: ErrorAt,
): { readonly [K in keyof R]?: ReturnType<R[K]> } {
  const fields: [string, unknown][] = [];
  for (const { key, at, value } of entries) {
    const read = Object.hasOwn(readers, key) ? readers[key] : undefined;
    if (read === undefined) {
      const hint = `Allowed keys: ${Object.keys(readers).join(", ")}.`;
      throw errorAt(at, `Unknown key ${quoted(key)} of ${owner}.`, hint);
    }
    fields.push([key, read(value, key, errorAt)]);
  }
  return Object.fromEntries(fields) as { readonly [K in keyof R]?: ReturnType<R[K]> };
}

export function mapping(tree: Tree, what: string, errorAt: ErrorAt): Mapping {
  if (tree.kind === "map") return tree;
  throw errorAt(tree.at, `${what} must be a mapping of keys to values.`, "Write it as key: value.");
}

export function text(tree: Tree, key: string, errorAt: ErrorAt): string {
  const words = plain(tree, key, errorAt).trim();
  if (words !== "") return words;
  throw errorAt(tree.at, `${key} is empty.`, "Write a text, or remove the key.");
}

export function plain(tree: Tree, key: string, errorAt: ErrorAt): string {
  if (tree.kind === "scalar") return tree.text;
  throw errorAt(tree.at, `${key} must be a string.`, "Write a single value.");
}

export function truth(tree: Tree, key: string, errorAt: ErrorAt): boolean {
  const value = truthOf(tree);
  if (value !== null) return value;
  throw errorAt(tree.at, `${key} must be true or false.`, `Write ${key}: true`);
}

export function truthOf(tree: Tree): boolean | null {
  if (tree.kind !== "scalar" || tree.isText) return null;
  return tree.text === "true" ? true : tree.text === "false" ? false : null;
}
