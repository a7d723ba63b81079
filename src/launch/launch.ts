import path from "node:path";
import { type LoadedChunk, runCached, writeMissingCaches } from "./code-cache.ts";

/** What has been loaded: the build asks for it, to keep what V8 has made of it. */
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
  // Node maps only what it has loaded itself.
  const file = path.join(dist, main);
  process.getBuiltinModule("node:module").createRequire(file)(file);
  return [];
}
