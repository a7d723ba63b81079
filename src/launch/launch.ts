import path from "node:path";
import { type LoadedFile, runCached, writeMissingCaches } from "./code-cache.ts";

/** The loaded files, from which the build creates the caches. */
export const files: readonly LoadedFile[] = launch();

function launch(): readonly LoadedFile[] {
  const loaded = runCached(path.dirname(import.meta.dirname), "command-line.cjs");
  process.once("exit", () => {
    writeMissingCaches(loaded);
  });
  return loaded;
}
