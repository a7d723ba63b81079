import { isJsonObject, type JsonObject, parseJson } from "../../language/basics/json-object.ts";
import type { Tokens } from "../../machine/model/spend.ts";

/*
 * Events of the client are read field by field and without a schema: a field of an unexpected type counts as missing, and
 * the rest of the event is used (docs/claude.md, "Output").
 */

const EMPTY: JsonObject = {};

/** The object in a line; null for anything else. */
export function parseObject(line: string): JsonObject | null {
  if (!line.trimStart().startsWith("{")) return null;
  const value = parseJson(line);
  return isJsonObject(value) ? value : null;
}

/** The field as an object; empty if it is not one. */
export function objectAt(from: JsonObject, name: string): JsonObject {
  const value = from[name];
  return isJsonObject(value) ? value : EMPTY;
}

/** The objects in a list; empty if the field is not a list. */
export function objectsAt(from: JsonObject, name: string): readonly JsonObject[] {
  const value = from[name];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function valueAt(from: JsonObject, name: string): unknown {
  return from[name];
}

export function textAt(from: JsonObject, name: string): string | null {
  const value = from[name];
  return typeof value === "string" ? value : null;
}

export function numberAt(from: JsonObject, name: string): number | null {
  const value = from[name];
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** Maximum plausible figure of one call. Totals must stay safe integers. */
const MAX_TOKENS = 1e12;

export function hasTokens({ input, output, cacheRead, cacheWrite }: Tokens): boolean {
  return input + output + cacheRead + cacheWrite > 0;
}

/** A number of tokens or requests; `fallback` if it is missing or implausible. */
export function readCount(from: JsonObject, name: string, fallback: number): number {
  const found = numberAt(from, name);
  const isPlausible = found !== null && found >= 0 && found <= MAX_TOKENS;
  return isPlausible ? Math.round(found) : fallback;
}

/** The end of the year 9999, epoch seconds: the last plausible time. */
export const LAST_SECOND = 253_402_300_799;
