import { nearest } from "../basics/nearest.ts";
import { excerpt } from "../protocol/scan/excerpt.ts";

/** Limits of a list of names in a message. */
const LISTED = 12;
const LISTED_CHARS = 400;

/** Quotes untrusted text for a message: on one line, at most 60 characters. */
export function quoted(text: string): string {
  return `"${excerpt(text)}"`;
}

/** Lists names for a message: `A.md, B.md and 3 more`, or `none`. */
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

/** `Did you mean X? ` for a hint; empty if no candidate is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  const guess = nearest(word, known);
  return guess === null ? "" : `Did you mean ${guess}? `;
}

/** The warning for an unknown key; `what` names the kind of key. */
export function unknownKey(what: string, key: string, known: readonly string[]): string {
  const guess = nearest(key, known);
  const question = guess === null ? "" : ` Did you mean ${guess}?`;
  return `Unknown ${what} ${quoted(key)} (ignored).${question}`;
}
