/**
 * Escapes all characters that control a terminal or are invisible: C0, C1, ESC, DEL, line and paragraph separators,
 * direction marks, lone surrogates, and characters without width. A tab becomes spaces. Joiners are kept where scripts
 * and emoji need them. So output of models and scripts cannot move the cursor, imitate lines of raymond or hide text
 * (docs/untrusted-input.md, "Model output"). Invariant: the result contains no control character, and text without one is not changed.
 */
export function printable(text: string): string {
  return PLAIN.test(text) ? text : text.replace(unsafe(), show);
}

/** Number of code points. */
export function charactersIn(text: string): number {
  return Array.from(text).length;
}

/** `text` cut to `width` characters, ending with `…` if it was cut. */
export function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  const characters = Array.from(text);
  if (characters.length <= width) return text;
  return `${characters.slice(0, Math.max(0, width - 1)).join("")}…`;
}

/** Matches most texts: compiling the Unicode expression takes 0.25 ms. */
const PLAIN = /^[\x20-\x7e]*$/;
/** Without width: soft hyphen, fillers, zero-width space, word joiner and its kin, byte order mark, tags. */
const INVISIBLE = String.raw`\u00ad\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2064\u3164\ufeff\uffa0\u{e0000}-\u{e007f}`;
const CONTROLS = String.raw`\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}${INVISIBLE}`;
/** Next to Latin letters a joiner has no effect. */
const LATIN = String.raw`[\0-\u024f${CONTROLS}]`;
const JOINERS = String.raw`[\u200c\u200d]+`;

let made: RegExp | null = null;
function unsafe(): RegExp {
  made ??= new RegExp(`[${CONTROLS}]|(?<=^|${LATIN})${JOINERS}|${JOINERS}(?=${LATIN}|$)`, "gu");
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
