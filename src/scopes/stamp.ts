import { statSync } from "node:fs";

/**
 * A value that changes with every change of a file or folder. Null if that is not certain: the file
 * changed so recently that it may change again within the clock tick of the file system, the clock
 * counts whole seconds, or folder times lag (Windows). Take the stamp before reading, so that a
 * concurrent change invalidates it.
 */
export function stampOf(file: string, now: number): string | null {
  if (process.platform === "win32") return null;
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return null;
  const { dev, ino, size, mtimeMs, ctimeMs } = found;
  const young = now - Math.max(mtimeMs, ctimeMs) < YOUNG_MS;
  // Users can set mtime, so only ctime shows the resolution of the clock.
  return young || ctimeMs % 1000 === 0 ? null : [dev, ino, size, mtimeMs, ctimeMs].join(" ");
}

const YOUNG_MS = 100;
