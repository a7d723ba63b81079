import { createHash } from "node:crypto";
import { LIMITS, readRegularFile } from "../../files/read-file.ts";
import { isMissing } from "../../language/basics/error-code.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../language/basics/json-object.ts";
import type { ExecutingFile } from "./project-settings.ts";

/**
 * Reads a file of a project. `statementsOf`: what its text makes the client execute. Null for a harmless or missing file.
 * Never rejects: a file that cannot be read counts as executing.
 */
export async function readExecuting(
  file: string,
  name: string,
  statementsOf: (text: string) => readonly string[] | Promise<readonly string[]>,
): Promise<ExecutingFile | null> {
  try {
    const bytes = await readRegularFile(file, LIMITS.small);
    const statements = await statementsOf(bytes.toString("utf8"));
    if (statements.length === 0) return null;
    return { name, sha256: createHash("sha256").update(bytes).digest("hex"), statements };
  } catch (error) {
    if (isMissing(error)) return null;
    const reason = error instanceof Error ? error.message : String(error);
    return unread(name, `cannot be read, so its effect is unknown: ${reason}`);
  }
}

/** Stands for files of a folder that cannot all be checked. */
export function tooManyFiles(folder: string): ExecutingFile {
  return unread(folder, "has too many files to check all of them");
}

function unread(name: string, statement: string): ExecutingFile {
  return { name, sha256: "", statements: [statement] };
}

export const UNREADABLE = "its content is invalid, so its effect is unknown";

/** The object in a file of JSON; null for anything else. */
export function readSettings(text: string): JsonObject | null {
  if (text.trim() === "") return {};
  const value = parseJson(text.replace(/^\uFEFF/, ""));
  return isJsonObject(value) ? value : null;
}

export function shown(value: unknown): string {
  return shortened(typeof value === "string" ? value : JSON.stringify(value));
}

/** The end of a long command could be its important part, so the length is stated. */
export function shortened(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  const left = text.length - LONGEST_TEXT;
  return `${text.slice(0, LONGEST_TEXT)}… (${String(left)} more characters)`;
}

const LONGEST_TEXT = 2_000;
