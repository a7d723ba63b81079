import { existsSync } from "node:fs";
import path from "node:path";

/**
 * The folder of raymond's package, which contains `workflows`, `docs` and `schemas`, whether the
 * code runs from `dist` or from `src`.
 */
export function packageFolder(): string {
  let folder = import.meta.dirname;
  while (!existsSync(path.join(folder, "package.json"))) {
    const parent = path.dirname(folder);
    if (parent === folder) throw new Error(`no package.json found above ${import.meta.dirname}`);
    folder = parent;
  }
  return folder;
}

/** The folder of the editor schemas (docs/editors.md, "Schemas"). */
export function schemasFolder(): string {
  return path.join(packageFolder(), "schemas");
}

/** The command that starts this raymond again: a program and its first arguments. */
export function packageProgram(): readonly [string, ...string[]] {
  return [process.execPath, ...process.execArgv, process.argv[1] ?? ""];
}
