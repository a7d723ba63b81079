import { existsSync, statSync } from "node:fs";
import path from "node:path";

const QUIETLY = { throwIfNoEntry: false } as const;

/**
 * The nearest `.git` at or above a folder: a file, or a folder with HEAD; null outside git. Git does not use a folder
 * without HEAD either, such as an empty one that a killed sandbox has left in `/tmp`. Needs no process.
 */
export function gitEntryAbove(folder: string): string | null {
  const entry = path.join(folder, ".git");
  if (existsSync(path.join(entry, "HEAD")) || statSync(entry, QUIETLY)?.isFile()) return entry;
  const parent = path.dirname(folder);
  return parent === folder ? null : gitEntryAbove(parent);
}
