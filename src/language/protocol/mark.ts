import { TAGS, type Tag } from "./transition.ts";

/**
 * The start of a tag at a `<`. `length` is its number of characters: `<name` of an opening tag, the
 * whole `</name>` of a closing tag.
 */
export type Mark =
  | { readonly kind: "opening" | "closing"; readonly tag: Tag; readonly length: number }
  | { readonly kind: "text"; readonly length: 1 };

/** A `<` that is plain text. */
export const PLAIN: Mark = { kind: "text", length: 1 };

/**
 * Reads the `<` at `at` (docs/protocol.md, "Grammar"). Returns null if the next piece of text could
 * complete a tag; `whole` says that no more text follows.
 */
export function readMark(text: string, at: number, whole: boolean): Mark | null {
  const closing = text[at + 1] === "/";
  const from = at + (closing ? 2 : 1);
  for (const tag of TAGS) {
    if (!text.startsWith(tag, from)) continue;
    const end = from + tag.length;
    if (closing && text[end] === ">") return { kind: "closing", tag, length: end + 1 - at };
    if (!closing && endsName(text, end)) return { kind: "opening", tag, length: end - at };
  }
  return !whole && text.length - at < LONGEST && mayGrow(text.slice(at)) ? null : PLAIN;
}

/** The characters that separate the parts of an opening tag. */
export function isBlank(char: string): boolean {
  return char === " " || char === "\n" || char === "\t" || char === "\r" || char === "\f";
}

function endsName(text: string, at: number): boolean {
  const char = text[at];
  if (char === undefined) return false;
  return char === ">" || isBlank(char) || (char === "/" && text[at + 1] === ">");
}

function mayGrow(rest: string): boolean {
  return TAGS.some((tag) => `<${tag}/>`.startsWith(rest) || `</${tag}>`.startsWith(rest));
}

const LONGEST = Math.max(...TAGS.map((tag) => `</${tag}>`.length));
