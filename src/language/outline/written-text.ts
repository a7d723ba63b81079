import type { StateFile } from "../workflow/files/state-file.ts";
import { extensionOf } from "../workflow/files/state-name.ts";
import { lastIndexUpTo } from "./outline.ts";

/** A text to search for tags, with the offset of each character in the original body. */
export interface WrittenText {
  readonly text: string;
  readonly offsetOf: (index: number) => number;
}

/**
 * The text of a state that can contain tags: the whole prompt including code blocks; of a script what
 * it may print, without comments and standard error, and with shell escapes resolved (`\"` in bash,
 * `^<` in a batch file).
 */
export function writtenText(file: StateFile): WrittenText {
  switch (extensionOf(file.name)) {
    case ".sh":
      return unescaped(printed(file.body, /^[ \t]*#/), /\\(?=["<>])/g);
    case ".bat":
      return unescaped(printed(file.body, /^[ \t]*(?:@?rem\b|::)/i), /\^(?=["<>^])/g);
    case ".ps1":
      return unescaped(printed(file.body, /^[ \t]*#/), /`(?=["<>])/g);
    case ".md":
    case null:
      return { text: file.body, offsetOf: (index) => index };
  }
}

/** Replaces text that never reaches standard output by blanks. */
function printed(body: string, comment: RegExp): string {
  if (!body.includes("<") && !body.includes("raymond")) return "";
  return body
    .split("\n")
    .map((line) => {
      if (comment.test(line)) return " ".repeat(line.length);
      const toError = TO_ERROR.exec(line)?.[0].length ?? 0;
      return " ".repeat(toError) + line.slice(toError);
    })
    .join("\n");
}

/** A line up to its last redirection to standard error. */
const TO_ERROR = /^.*(?:>&2|> ?\/dev\/stderr)/;

function unescaped(text: string, sign: RegExp): WrittenText {
  const dropped = [...text.matchAll(sign)].map(({ index }) => index);
  if (dropped.length === 0) return { text, offsetOf: (index) => index };
  /** The index in the new text at which each character was dropped. */
  const gaps = dropped.map((offset, before) => offset - before);
  return {
    text: text.replace(sign, ""),
    offsetOf: (index) => {
      const [first = 0] = gaps;
      return index < first ? index : index + lastIndexUpTo(gaps, index) + 1;
    },
  };
}
