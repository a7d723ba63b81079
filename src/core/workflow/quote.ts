import { excerpt } from "../protocol/excerpt.ts";

/** How many names a message lists, and in how many characters. */
const LISTED = 12;
const LISTED_CHARS = 400;

/** Foreign text for the middle of a sentence: in quotes, on one line, at most 60 characters. */
export function quoted(text: string): string {
  return `"${excerpt(text)}"`;
}

/** Names for the end of a sentence: `A.md, B.md and 3 more`; `none` when there are none. */
export function listed(names: readonly string[]): string {
  const first: string[] = [];
  let length = 0;
  for (const name of names.slice(0, LISTED).map((name) => excerpt(name))) {
    length += name.length + 2;
    if (length > LISTED_CHARS) break;
    first.push(name);
  }

  const more = names.length - first.length;
  if (first.length === 0) return "none";
  return more === 0 ? first.join(", ") : `${first.join(", ")} and ${String(more)} more`;
}
