import { isJsonObject, type JsonObject } from "../../core/json-object.ts";

/*
 * Events of the client are read field by field and by no schema, also those that matter most: an odd field is as
 * good as none, and the rest of its event counts (docs/claude.md, "What is read").
 */

const EMPTY: JsonObject = {};

/** The object that a line holds; null where it holds anything else. */
export function parseObject(line: string): JsonObject | null {
  if (!line.trimStart().startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** The field as an object, empty where it is none: reading on from there finds nothing. */
export function objectAt(from: JsonObject, name: string): JsonObject {
  const value = from[name];
  return isJsonObject(value) ? value : EMPTY;
}

/** The objects in a list; an empty list where the field is none. */
export function objectsAt(from: JsonObject, name: string): readonly JsonObject[] {
  const value = from[name];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The field as it is. */
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
