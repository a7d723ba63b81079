import path from "node:path";
import { LIMITS, readRegularFileSync } from "../files/read-file.ts";
import { isJsonObject, parseBoundedJson } from "../language/basics/json-object.ts";
import type { ChangedFiles } from "../scopes/known-states.ts";
import { type Disk, writeAtomically } from "../storage/disk.ts";

/*
 * The file `changed-files.json` of a run (docs/state-file.md). It is written when the process that drives the run
 * ends, so every change in it was made while steps could run: a later one is the user's.
 */

/** The changes that the previous process recorded. */
export function readChangedFiles(file: string): ChangedFiles {
  let kept: unknown;
  try {
    kept = parseBoundedJson(readRegularFileSync(file, LIMITS.state).toString("utf8"));
  } catch {
    return new Map();
  }
  if (!isJsonObject(kept)) return new Map();
  return new Map(
    Object.entries(kept).map(([name, hash]) => [name, typeof hash === "string" ? hash : null]),
  );
}

/** Records changes for the next process. Never rejects. */
export async function keepChangedFiles(
  file: string,
  changed: ChangedFiles,
  disk: Disk,
  warn: (message: string) => void,
): Promise<void> {
  try {
    if (changed.size === 0) {
      await disk.remove(file);
      return;
    }
    await disk.makeFolder(path.dirname(file));
    await writeAtomically(disk, file, JSON.stringify(Object.fromEntries(changed)));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    warn(
      `Cannot save which state files changed during the run: ${reason}. Check them before you resume it.`,
    );
  }
}
