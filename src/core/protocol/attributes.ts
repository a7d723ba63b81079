import { excerpt } from "./excerpt.ts";
import { isReservedName } from "./reserved-names.ts";

/**
 * What is wrong with the name of an attribute that becomes a variable of prompts
 * and scripts, as a sentence; `null` where nothing is. A text that a model wrote
 * must not be able to change what a script executes (docs/protocol.md, "Reserved
 * attribute names").
 */
export function attributeNameProblem(name: string): string | null {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    return `"${excerpt(name)}" is not the name of an attribute: letters, digits and _ are allowed, and no digit at the start.`;
  }
  if (WORDS_OF_THE_PROTOCOL.includes(name.toUpperCase())) {
    return `"${excerpt(name)}" cannot be the name of an attribute: the protocol uses this word itself.`;
  }
  if (!isReservedName(name)) return null;
  return `"${excerpt(name)}" cannot be the name of an attribute: as an environment variable it could change what a script executes. Take another, such as ${otherName(name)}.`;
}

/**
 * Whether a script gets an attribute as an environment variable only if its workflow declares the name:
 * the first word of the name is in capitals, as in `ITEM` and `TF_VAR_x`. Programs are configured by
 * such variables, and a model writes the names of attributes (docs/protocol.md, "Attributes of scripts").
 */
export function mustBeDeclared(name: string): boolean {
  const [firstWord = ""] = name.replace(/^_+/, "").split("_");
  return !/[a-z]/.test(firstWord);
}

/** A name that is not reserved, and reads like the one that is. */
function otherName(name: string): string {
  const other = `my_${name.slice(0, MAX_PROPOSED)}`;
  return isReservedName(other) ? `${other}_value` : other;
}

/** What is wrong with the value of such an attribute, as a sentence; `null` where nothing is. */
export function attributeValueProblem(value: string): string | null {
  if (value.includes("\0")) return "The value of an attribute cannot hold a NUL character.";
  if (isLongerThan(value, MAX_VALUE_BYTES)) {
    return "The value of an attribute cannot be longer than 64 KiB.";
  }
  return null;
}

/**
 * What makes a value unfit for a `.bat` script, which would execute parts of it,
 * as a sentence; `null` where nothing does.
 */
export function batchValueProblem(value: string): string | null {
  const [found] = /[%&|<>^"!\r\n]/.exec(value) ?? [];
  if (found === undefined) return null;
  const what = found === "\r" || found === "\n" ? "a line end" : found;
  return `The value of an attribute for a .bat script cannot hold ${what}.`;
}

/** Characters of the name that the other keeps. */
const MAX_PROPOSED = 40;

/** The longest value of an attribute, in bytes of UTF-8. */
const MAX_VALUE_BYTES = 64 * 1024;

function isLongerThan(text: string, bytes: number): boolean {
  if (text.length > bytes) return true;
  return text.length * 3 > bytes && new TextEncoder().encode(text).length > bytes;
}

const WORDS_OF_THE_PROTOCOL: readonly string[] = ["RESULT", "RETURN", "TARGET", "TAG"];
