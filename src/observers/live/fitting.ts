import stringWidth from "string-width";
import { printable } from "../printable.ts";

/** How many columns of a terminal a text takes: of an emoji, or a letter of Chinese, two. */
export function widthOf(text: string): number {
  return ASCII.test(text) ? text.length : stringWidth(text);
}

/**
 * The text as one line of at most so many columns, safe to print, the last one `…` where something
 * was cut. Law: it is never wider than that, and no character is cut in two.
 */
export function fitted(text: string, columns: number): string {
  if (columns <= 0) return "";
  // Of a megabyte no more is looked at than could be seen; the rest only tells that something was cut.
  const shown = printable(text.slice(0, (columns + 1) * MOST_UNITS));
  if (widthOf(shown) <= columns) return shown;
  let kept = "";
  let width = 0;
  for (const { segment } of graphemes().segment(shown)) {
    width += widthOf(segment);
    // One column is left for the mark.
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** The same, filled up with blanks. */
export function filled(text: string, columns: number): string {
  const shown = fitted(text, columns);
  return shown + " ".repeat(Math.max(0, columns - widthOf(shown)));
}

const ASCII = /^[\x20-\x7e]*$/;
/** No more code units than this make one character that anybody writes. */
const MOST_UNITS = 32;

let segmenter: Intl.Segmenter | null = null;

/** Made when it is first wanted: most lines are ASCII, and fit. */
function graphemes(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter;
}
