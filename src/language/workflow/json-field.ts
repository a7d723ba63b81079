import { counted } from "../basics/counted.ts";
import { parseBoundedJson } from "../basics/json-object.ts";
import { listed, quoted } from "./quote.ts";

/** The value of a field as text, or why there is none, as a sentence. */
export type JsonField =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads fields of a JSON text by paths: keys of objects and indexes of arrays from 0. A string is
 * returned as it is, every other value as JSON.
 */
export function jsonReader(text: string): (path: readonly string[]) => JsonField {
  let document: unknown;
  try {
    document = parseBoundedJson(text);
  } catch {
    return () => ({ ok: false, problem: `The payload is not JSON: ${quoted(text)}.` });
  }
  return (path) => fieldOf(document, path);
}

function fieldOf(document: unknown, path: readonly string[]): JsonField {
  let value = document;
  for (const [depth, key] of path.entries()) {
    const next = stepInto(value, key);
    if (next === undefined) {
      return { ok: false, problem: missing(value, path.slice(0, depth), key) };
    }
    value = next.value;
  }
  return printed(value);
}

function printed(value: unknown): JsonField {
  if (typeof value === "string") return { ok: true, text: value };
  try {
    return { ok: true, text: JSON.stringify(value) };
  } catch (error) {
    // Printing is recursive, unlike parsing.
    if (!(error instanceof RangeError)) throw error;
    return { ok: false, problem: "The field is nested too deeply." };
  }
}

/** Own properties only: `constructor` is not a field. */
function stepInto(value: unknown, key: string): { readonly value: unknown } | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value) && !/^(?:0|[1-9]\d*)$/.test(key)) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  return Object.hasOwn(fields, key) ? { value: fields[key] } : undefined;
}

function missing(value: unknown, path: readonly string[], key: string): string {
  const place = path.length === 0 ? "the payload" : path.join(".");
  const lacks = `There is no ${quoted(key)} in ${place}`;
  if (Array.isArray(value)) return `${lacks}, an array of ${counted(value.length, "element")}.`;
  if (typeof value === "object" && value !== null) {
    return `${lacks}. Its keys: ${listed(Object.keys(value))}.`;
  }
  return `${lacks}, which is ${value === null ? "null" : `a ${typeof value}`}.`;
}
