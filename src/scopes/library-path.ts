import { realpathSync } from "node:fs";
import path from "node:path";
import { errorCode } from "../core/error-code.ts";
import { isThere } from "./copies.ts";
import { OutsideLibraryError } from "./errors.ts";

/** The folders in which the workflows of a run may lie. */
export interface Bounds {
  /** The folder that holds the started workflow. */
  readonly root: string;
  /** The started workflow itself, which may be a link to elsewhere. */
  readonly home: string;
  /** `workflow_path`. */
  readonly further: readonly string[];
}

/**
 * The place that a path means from a workflow at `base`: beside it, and, where
 * the path does not begin with `./` or `../` and nothing is there, in a folder of
 * `workflow_path`. Throws an {@link OutsideLibraryError} for one outside the bounds,
 * be it by a link, before anything is read there.
 */
export async function placeInLibrary(
  written: string,
  base: string,
  bounds: Bounds,
): Promise<string> {
  const beside = path.resolve(base, written);
  let place = beside;
  if (!/^\.\.?(?:\/|$)/.test(written) && !(await isThere(beside))) {
    for (const folder of bounds.further.toReversed()) {
      const there = path.resolve(folder, written);
      if (await isThere(there)) place = there;
    }
  }
  refuseOutside(written, place, bounds);
  return place;
}

function refuseOutside(written: string, place: string, { root, home, further }: Bounds): void {
  const roots = [root, ...further];
  if (!roots.some((folder) => isBelow(folder, place) && folder !== place)) {
    throw new OutsideLibraryError(written, place, root, null);
  }
  const real = realOf(place);
  // What is not there yet is judged by the folder that would hold it.
  const realRoots = [...roots, home].map(realOf);
  if (realRoots.some((folder) => isBelow(folder, real))) return;
  throw new OutsideLibraryError(written, place, root, real);
}

/** Whether a place is a folder, or lies in it. */
export function isBelow(folder: string, place: string): boolean {
  const way = path.relative(folder, place);
  return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}

/** Links followed, of the last part of the way that exists. */
function realOf(place: string): string {
  try {
    return realpathSync.native(place);
  } catch (error) {
    const parent = path.dirname(place);
    const known = ["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "");
    return known && parent !== place ? realOf(parent) : place;
  }
}
