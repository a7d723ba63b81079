import { type Position, TOP } from "../../language/basics/place.ts";
import { composeYaml } from "../../language/workflow/compose-yaml.ts";

/** The position of the value to which a JSON pointer leads, in a JSON text; its start if unknown. */
export function placeOfPointer(text: string, pointer: string): Position {
  // JSON is YAML, and its parser keeps positions.
  const document = composeYaml(text);
  const keys = pointer.split("/").slice(1).map(unescaped);
  const node: unknown = document?.getIn(keys, true);
  const range = typeof node === "object" && node !== null && "range" in node ? node.range : null;
  return Array.isArray(range) ? placeOfOffset(text, Number(range[0])) : TOP;
}

/** The position of a syntax error of `JSON.parse`. */
export function placeOfSyntaxError(text: string, message: string): Position {
  const [, offset] = /at position (\d+)/.exec(message) ?? [];
  if (offset !== undefined) return placeOfOffset(text, Number(offset));
  if (message.includes("end of JSON")) return placeOfOffset(text, text.length);
  const [, around] =
    /^Unexpected token .*?, \.\.\."([\s\S]*)"(?:\.\.\.)? is not valid/.exec(message) ?? [];
  const start = around === undefined ? -1 : text.indexOf(around);
  return start === -1 ? TOP : placeOfOffset(text, start + CONTEXT);
}

/** Characters that V8 shows before an unexpected token. */
const CONTEXT = 10;

/** The position of the first occurrence of a word; the start of the text if there is none. */
export function placeOfWord(text: string, word: string): Position {
  return placeOfOffset(text, Math.max(0, text.indexOf(word)));
}

function placeOfOffset(text: string, offset: number): Position {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

function unescaped(key: string): string {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}
