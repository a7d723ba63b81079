import type { StateFile } from "../workflow/state-file.ts";
import { extensionOf } from "../workflow/state-name.ts";
import { lastUpTo } from "./places.ts";

/** A text in which tags are looked for, and where each of its characters stands in the body that it was made of. */
export interface WrittenText {
  readonly text: string;
  readonly offsetOf: (index: number) => number;
}

/**
 * What a state writes of tags: a prompt all that it says, code blocks too; a
 * script what it may print, so without comments and what goes to standard error,
 * and with the escapes of its shell undone (`\"` in bash, `^<` in a batch file).
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

/** The same text with blanks for what is never on standard output. */
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

/** All of a line up to where it is sent to standard error for the last time. */
const TO_ERROR = /^.*(?:>&2|> ?\/dev\/stderr)/;

function unescaped(text: string, sign: RegExp): WrittenText {
  const dropped = [...text.matchAll(sign)].map(({ index }) => index);
  if (dropped.length === 0) return { text, offsetOf: (index) => index };
  /** Where each dropped character would stand among those that are kept. */
  const gaps = dropped.map((offset, before) => offset - before);
  return {
    text: text.replace(sign, ""),
    offsetOf: (index) => {
      const [first = 0] = gaps;
      return index < first ? index : index + lastUpTo(gaps, index) + 1;
    },
  };
}
