/**
 * The text with everything visible that a terminal acts on or a reader cannot see: C0, C1, ESC, DEL, line and
 * paragraph separators, direction marks, lone surrogates, and characters without width. A tab becomes blanks.
 * Joiners stay where scripts and emoji need them. What models and scripts wrote can then neither move the cursor,
 * nor pretend to be a line of raymond, nor hide text (docs/security.md, "What a model says"). Law: the result holds
 * no control character, and text without any is returned as it is.
 */
export function printable(text: string): string {
  return PLAIN.test(text) ? text : text.replace(unsafe(), show);
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
/** Without width: soft hyphen, fillers, zero-width space, word joiner and its kin, byte order mark, tags. */
const UNSEEN = String.raw`\u00ad\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2064\u3164\ufeff\uffa0\u{e0000}-\u{e007f}`;
const ACTED_ON = String.raw`\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}${UNSEEN}`;
/** Beside Latin letters a joiner joins nothing. */
const LATIN = String.raw`[\0-\u024f${ACTED_ON}]`;
const JOINERS = String.raw`[\u200c\u200d]+`;

let made: RegExp | null = null;
function unsafe(): RegExp {
  made ??= new RegExp(`[${ACTED_ON}]|(?<=^|${LATIN})${JOINERS}|${JOINERS}(?=${LATIN}|$)`, "gu");
  return made;
}

function show(found: string): string {
  return Array.from(found, showOne).join("");
}

function showOne(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (character === "\t") return "    ";
  // Unicode has pictures for C0 and DEL, which keep the width of one column.
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  const digits = code.toString(16).padStart(4, "0");
  return code > 0xffff ? `\\u{${digits}}` : `\\u${digits}`;
}
