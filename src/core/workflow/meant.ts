import { nearest } from "../nearest.ts";
import { quoted } from "./quote.ts";

/** The beginning of a hint, where a word is near to one of these: `Did you mean X? `. */
export function didYouMean(word: string, known: readonly string[]): string {
  const guess = nearest(word, known);
  return guess === null ? "" : `Did you mean ${guess}? `;
}

/** The warning for a key, `what` it is called, that is none of these. */
export function unknownKey(what: string, key: string, known: readonly string[]): string {
  const guess = nearest(key, known);
  const ending = guess === null ? "." : `; did you mean ${guess}?`;
  return `The ${what} ${quoted(key)} is not known and does nothing${ending}`;
}
