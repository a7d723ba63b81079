import { lstatSync } from "node:fs";
import path from "node:path";
import { isMissing } from "../language/basics/error-code.ts";

/**
 * The nearest `.git` at or above a folder: a file, or a folder with HEAD; null outside git. Git does not use a folder
 * without HEAD either, such as an empty one that a killed sandbox has left in `/tmp`. An entry that cannot be examined
 * counts. Needs no process.
 */
export function gitEntryAbove(folder: string): string | null {
  const entry = path.join(folder, ".git");
  if (isEntry(entry)) return entry;
  const parent = path.dirname(folder);
  return parent === folder ? null : gitEntryAbove(parent);
}

function isEntry(entry: string): boolean {
  try {
    // HEAD can be a link to a branch that only exists in packed-refs.
    if (lstatSync(entry).isDirectory()) lstatSync(path.join(entry, "HEAD"));
    return true;
  } catch (error) {
    return !isMissing(error);
  }
}
