import { statSync } from "node:fs";

/** Something that was read, as long as what it was read from has this stamp; null: never. */
export interface Kept<T> {
  readonly stamp: string | null;
  readonly value: T;
}

/**
 * What changes whenever a file or a folder does; null where nobody can be sure of that: it has changed just now,
 * and may change again within the same tick of the file system's clock, or that clock counts whole seconds, or
 * times of folders lag (Windows). To be asked for before the reading, so that a change meanwhile is another stamp.
 */
export function stampOf(file: string, now: number): string | null {
  if (process.platform === "win32") return null;
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return null;
  const { dev, ino, size, mtimeMs, ctimeMs } = found;
  const young = now - Math.max(mtimeMs, ctimeMs) < YOUNG_MS;
  // A time that the user has set says nothing of the clock; when the entry was changed is the system's alone.
  return young || ctimeMs % 1000 === 0 ? null : [dev, ino, size, mtimeMs, ctimeMs].join(" ");
}

const YOUNG_MS = 100;
