import { readTagWords, type TagWord } from "../protocol/tag-words.ts";
import { TAGS } from "../protocol/transition.ts";
import type { MentionedTag } from "./mentioned-tags.ts";

/** The tags that a script prints with `raymond tag`, in order. */
export function tagCalls(text: string): readonly MentionedTag[] {
  return [...text.matchAll(CALL)].slice(0, MAX_CALLS).flatMap((match): readonly MentionedTag[] => {
    const tag = TAGS.find((one) => one === match[1]);
    if (tag === undefined) return [];
    const behind = match.index + match[0].length;
    const read = readTagWords(shellWords(text.slice(behind, behind + LONGEST)));
    const values = "values" in read ? read.values : [];
    const attributes = values.flatMap((value) =>
      value.name === null ? [] : [[value.name, writtenValue(value)] as const],
    );
    const content = values.find(({ name }) => name === null);
    return [
      {
        element: { tag, attributes, content: content === undefined ? "" : writtenValue(content) },
        start: match.index,
        closed: true,
      },
    ];
  });
}

const CALL = /\braymond(?:\.cmd)?[ \t]+tag[ \t]+([a-z-]+)/g;

/** Limits of calls per file and characters per call, against malicious input. */
const MAX_CALLS = 1_000;
const LONGEST = 4_000;

/** A value from a file is written like a variable: it is known only at run time. */
function writtenValue({ from, value }: TagWord): string {
  return from === "text" ? value : `$(<${value})`;
}

/** The words up to the end of a command, without quotes. Variables are not expanded. */
function shellWords(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | null = null;
  for (const [, bare, double, single, blank] of text.matchAll(PIECE)) {
    if (blank !== undefined) {
      if (word !== null) words.push(word);
      word = null;
      if (blank.replaceAll(/\\\r?\n/g, "").includes("\n")) break;
      continue;
    }
    const piece = bare ?? single ?? double?.replaceAll(/\\(["\\])/g, "$1");
    if (piece === undefined) break;
    word = (word ?? "") + piece;
  }
  return word === null ? words : [...words, word];
}

/** A part of a word (bare or quoted), a separator, or any other character: the end of the command. */
const PIECE =
  /((?:[^\s"'\\;|&<>()`$]|\\[^\r\n]|\$\([^()]*\)|\$)+)|"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|((?:\s|\\\r?\n)+)|[\s\S]/g;
