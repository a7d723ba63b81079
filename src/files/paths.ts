import { stat } from "node:fs/promises";
import path from "node:path";

export async function isThere(place: string): Promise<boolean> {
  return stat(place).then(
    () => true,
    () => false,
  );
}

/** Whether a path is a folder or inside it. */
export function isBelow(folder: string, place: string): boolean {
  return pathInside(folder, place) !== null;
}

/** The path of a place relative to a folder; null if it is outside. */
export function pathInside(folder: string, place: string): string | null {
  const way = path.relative(folder, place);
  const isOutside = way === ".." || way.startsWith(`..${path.sep}`) || path.isAbsolute(way);
  return isOutside ? null : way;
}

/**
 * The folders between a protected path and the writable folder that contains it. The kernel renames
 * no mount point: if each of them is one, no process can put another file in the place of the protected one.
 */
export function foldersAround(place: string, writable: readonly string[]): readonly string[] {
  const parent = path.dirname(place);
  const isWritable = parent !== place && writable.some((folder) => isBelow(folder, parent));
  return isWritable ? [parent, ...foldersAround(parent, writable)] : [];
}
