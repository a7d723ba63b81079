import { counted } from "../../../language/basics/counted.ts";
import type { JsonObject } from "../../../language/basics/json-object.ts";
import { textAt } from "../json-fields.ts";

/** Maximum characters of an argument or a notice. */
const MAX_LENGTH = 200;

/** Main arguments of tools, by priority. */
const MAIN_FIELDS = [
  "command",
  "file_path",
  "notebook_path",
  "path",
  "pattern",
  "url",
  "query",
  "skill",
  "description",
  "prompt",
] as const;

/** The first line that is not blank, shortened, with the number of further lines. */
export function shortened(text: string): string {
  const [line = "", ...more] = text.trim().split("\n");
  if (more.length === 0) return shorten(line);
  return `${shorten(line.trimEnd())} (+ ${counted(more.length, "line")})`;
}

/** The main argument of a tool call, in one line; empty without a text argument. */
export function mainArgument(input: JsonObject): string {
  const name = MAIN_FIELDS.find((field) => (textAt(input, field) ?? "") !== "");
  const value = name === undefined ? Object.values(input).find(isText) : textAt(input, name);
  return shortened(value ?? "");
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function shorten(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  return `${text.slice(0, MAX_LENGTH - 1)}… (${String(text.length)} characters in all)`;
}
