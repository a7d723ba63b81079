import { existsSync } from "node:fs";
import path from "node:path";

/**
 * The folder of raymond's own package: what ships beside the code (`workflows`,
 * `docs`, `schemas`) lies there, whether the code runs from `dist` or from `src`.
 */
export function packageFolder(): string {
  let folder = import.meta.dirname;
  while (!existsSync(path.join(folder, "package.json"))) {
    const parent = path.dirname(folder);
    if (parent === folder) throw new Error(`no package around ${import.meta.dirname}`);
    folder = parent;
  }
  return folder;
}

/** Where the schemas for editors lie (docs/editors.md, "Schemas"). */
export function schemasFolder(): string {
  return path.join(packageFolder(), "schemas");
}
