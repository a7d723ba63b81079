import { createRequire } from "node:module";
import path from "node:path";
import { type LoadedChunk, runCached } from "./code-cache.ts";

const main = path.join(import.meta.dirname, "command-line.cjs");

/** What has been loaded: the build asks for it, to keep what V8 has made of it. */
export const chunks: readonly LoadedChunk[] = launch();

function launch(): readonly LoadedChunk[] {
  if (!process.sourceMapsEnabled) return runCached(main);
  // Node maps only what it has loaded itself.
  createRequire(main)(main);
  return [];
}
