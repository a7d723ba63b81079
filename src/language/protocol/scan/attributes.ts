import { isReservedName } from "../reserved-names.ts";
import { excerpt } from "./excerpt.ts";

/**
 * Why an attribute cannot have this name, as a sentence; null if it can. Attributes become
 * environment variables of scripts: text from a model must not change what a script executes
 * (docs/protocol.md, "Reserved attribute names").
 */
export function attributeNameProblem(name: string): string | null {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    return `"${excerpt(name)}" is not a valid attribute name. Use letters, digits and _, and do not start with a digit.`;
  }
  if (PROTOCOL_WORDS.includes(name.toUpperCase())) {
    return `"${excerpt(name)}" is not a valid attribute name: the protocol reserves this word.`;
  }
  if (!isReservedName(name)) return null;
  return `"${excerpt(name)}" is a reserved name: as an environment variable it could change what a script executes. Use another name, such as ${otherName(name)}.`;
}

/**
 * Whether a script gets this attribute as an environment variable only if the workflow declares the
 * name: its first word is uppercase, as in `ITEM` and `TF_VAR_x`. Such variables configure programs,
 * and a model writes the names of attributes (docs/protocol.md, "Attributes of scripts").
 */
export function mustBeDeclared(name: string): boolean {
  const [firstWord = ""] = name.replace(/^_+/, "").split("_");
  return !/[a-z]/.test(firstWord);
}

/** A similar name that is not reserved. */
function otherName(name: string): string {
  const other = `my_${name.slice(0, MAX_PROPOSED)}`;
  return isReservedName(other) ? `${other}_value` : other;
}

/** Why an attribute cannot have this value, as a sentence; null if it can. */
export function attributeValueProblem(value: string): string | null {
  if (value.includes("\0")) return "The value of an attribute must not contain a NUL character.";
  if (isLongerThan(value, MAX_VALUE_BYTES)) {
    return "The value of an attribute must not exceed 64 KiB.";
  }
  return null;
}

/** Why a `.bat` script, which would execute parts of the value, cannot get it; null if it can. */
export function batchValueProblem(value: string): string | null {
  const [found] = /[%&|<>^"!\r\n]/.exec(value) ?? [];
  if (found === undefined) return null;
  const what = found === "\r" || found === "\n" ? "a line end" : found;
  return `The value of an attribute for a .bat script must not contain ${what}.`;
}

/** Characters of the name in a proposed name. */
const MAX_PROPOSED = 40;

const MAX_VALUE_BYTES = 64 * 1024;

function isLongerThan(text: string, bytes: number): boolean {
  if (text.length > bytes) return true;
  return text.length * 3 > bytes && new TextEncoder().encode(text).length > bytes;
}

const PROTOCOL_WORDS: readonly string[] = ["RESULT", "RETURN", "TARGET", "TAG"];
