import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** The absolute path of an executable in the folders of `PATH`; null if there is none. */
export function findProgram(name: string, searchPath: string | undefined): string | null {
  const folders = (searchPath ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
