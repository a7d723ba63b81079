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
