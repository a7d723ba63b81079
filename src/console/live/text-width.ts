import stringWidth from "string-width";
import { printable } from "../../log/printable.ts";

/** Terminal columns of a text. An emoji or a Chinese character has two. */
export function widthOf(text: string): number {
  return ASCII.test(text) ? text.length : stringWidth(text);
}

/**
 * The text as one line of at most `columns` columns, without control characters, ending with `…` if it was cut.
 * Characters are never split.
 */
export function truncateToWidth(text: string, columns: number): string {
  if (columns <= 0) return "";
  // Text beyond this cannot be visible and need not be measured.
  const shown = printable(text.slice(0, (columns + 1) * MAX_UNITS));
  if (widthOf(shown) <= columns) return shown;
  let kept = "";
  let width = 0;
  for (const { segment } of graphemes().segment(shown)) {
    width += widthOf(segment);
    // One column is reserved for the ellipsis.
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Like {@link truncateToWidth}, padded with spaces. */
export function padToWidth(text: string, columns: number): string {
  const shown = truncateToWidth(text, columns);
  return shown + " ".repeat(Math.max(0, columns - widthOf(shown)));
}

const ASCII = /^[\x20-\x7e]*$/;
/** Code units of the longest realistic character. */
const MAX_UNITS = 32;

let segmenter: Intl.Segmenter | null = null;

/** Created on first use: most lines are ASCII and fit. */
function graphemes(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter;
}
