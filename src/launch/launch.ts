import path from "node:path";
import { type LoadedChunk, runCached, writeMissingCaches } from "./code-cache.ts";

/** The loaded chunks, from which the build creates the caches. */
export const chunks: readonly LoadedChunk[] = launch();

function launch(): readonly LoadedChunk[] {
  const main = "cli/command-line.cjs";
  const dist = path.dirname(import.meta.dirname);
  if (!process.sourceMapsEnabled) {
    const loaded = runCached(dist, main);
    process.once("exit", () => {
      writeMissingCaches(loaded);
    });
    return loaded;
  }
  // Node only maps modules that it has loaded itself.
  const file = path.join(dist, main);
  process.getBuiltinModule("node:module").createRequire(file)(file);
  return [];
}
