import { readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

/** Of the types that tsc has written for all that is compiled, leaves those that the library's entry leads to. */
export function pruneTypes(folder) {
  const entry = path.join(folder, "src", "index.d.ts");
  const needed = new Set([entry]);
  for (const file of needed) {
    for (const { fileName } of ts.preProcessFile(readFileSync(file, "utf8")).importedFiles) {
      if (!fileName.startsWith(".")) continue;
      needed.add(path.join(path.dirname(file), fileName.replace(/\.(?:ts|js)$/, ".d.ts")));
    }
  }
  for (const name of readdirSync(folder, { recursive: true })) {
    if (name.endsWith(".d.ts") && !needed.has(path.join(folder, name))) rmSync(path.join(folder, name));
  }
}
