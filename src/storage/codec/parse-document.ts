import type * as z from "zod/mini";
import { parseBoundedJson } from "../../language/basics/json-object.ts";
import { DamagedStateError, storageErrors } from "../errors.ts";
import { CONTRADICTION, inEnglish } from "./shape.ts";
import { type StateDocument, stateSchema } from "./state-document.ts";
import { STATE_VERSION, upgradeState } from "./upgrade.ts";

/**
 * Parses the text of a state file. Throws a {@link DamagedStateError} with the file, field and reason, or
 * `store/newer-state`. `file` is for these messages.
 */
export function parseDocument(text: string, file: string): StateDocument {
  const json = parseJson(text, file);
  const version = valueAt(json, ["version"]);
  if (typeof version === "number" && version > STATE_VERSION) {
    throw storageErrors["store/newer-state"](file, version, STATE_VERSION);
  }
  const parsed = stateSchema().safeParse(upgradeState(json), inEnglish());
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    if (issue === undefined) throw new Error("zod refused without an issue");
    throw damage(file, issue, json);
  }
  return parsed.data;
}

function parseJson(text: string, file: string): unknown {
  if (text.trim() === "") throw new DamagedStateError(file, null, "is empty");
  try {
    return parseBoundedJson(text);
  } catch (error) {
    const isCut = text.trimStart().startsWith("{") && !text.trimEnd().endsWith("}");
    const reason = !isCut
      ? `is not JSON (${error instanceof Error ? error.message : "unknown error"})`
      : `was cut off: it ends after ${String(Buffer.byteLength(text))} bytes, in the middle`;
    throw new DamagedStateError(file, null, reason, error);
  }
}

function damage(file: string, issue: z.core.$ZodIssue, json: unknown): DamagedStateError {
  if (issue.code === "unrecognized_keys") {
    const key = issue.keys[0] ?? "";
    return new DamagedStateError(file, printPath([...issue.path, key]), "is not a known field");
  }
  const missing = valueAt(json, issue.path) === undefined;
  const field = issue.path.length === 0 ? null : printPath(issue.path);
  if (issue.code === "custom" && issue.params === CONTRADICTION) {
    return new DamagedStateError(file, field, issue.message);
  }
  const reason = missing ? "is missing" : `is wrong (${issue.message})`;
  return new DamagedStateError(file, field, reason);
}

/** `agents[0].session.mode` */
function printPath(path: readonly PropertyKey[]): string {
  const parts = path.map((part) => {
    return typeof part === "number" ? `[${String(part)}]` : `.${String(part)}`;
  });
  return parts.join("").replace(/^\./, "");
}

function valueAt(json: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    if (typeof value !== "object" || value === null) return undefined;
    return Object.getOwnPropertyDescriptor(value, key)?.value as unknown;
  }, json);
}
