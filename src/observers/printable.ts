/**
 * The text with everything visible that a terminal would act on: C0, C1, ESC, DEL,
 * line and paragraph separators, direction marks and lone surrogates. A tab
 * becomes blanks. What models and scripts wrote can then neither move the cursor
 * nor pretend to be a line of raymond (docs/security.md, "What a model says").
 * Law: the result holds no control character, and text without any is returned
 * as it is.
 */
export function printable(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNSAFE, show);
}

/** How many characters a text has, a pair of surrogates being one. */
export function charactersIn(text: string): number {
  return Array.from(text).length;
}

/** `text` cut to `width` characters, the last one `…` when something was cut. */
export function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  const characters = Array.from(text);
  if (characters.length <= width) return text;
  return `${characters.slice(0, Math.max(0, width - 1)).join("")}…`;
}

/** Nearly all that is shown: to make ready what looks for Unicode's classes takes a quarter of a millisecond. */
const PLAIN = /^[\x20-\x7e]*$/;
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

function show(character: string): string {
  const code = character.charCodeAt(0);
  if (character === "\t") return "    ";
  // Unicode has pictures for C0 and DEL, which keep the width of one column.
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  return `\\u${code.toString(16).padStart(4, "0")}`;
}
