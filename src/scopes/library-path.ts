import { realpathSync } from "node:fs";
import path from "node:path";
import { isBelow, isThere } from "../files/paths.ts";
import { errorCode } from "../language/basics/error-code.ts";
import { scopeErrors } from "./errors.ts";

/** The folders that may contain workflows of a run. */
export interface Bounds {
  /** The folder that contains the started workflow. */
  readonly root: string;
  /** The started workflow, which may be a link to another folder. */
  readonly home: string;
  /** `workflow_path`. */
  readonly further: readonly string[];
}

/**
 * Resolves a path in a workflow at `base`: relative to it, else, if the path has no `./` or `../`
 * and nothing exists there, in a folder of `workflow_path`. Throws `workflow/outside-library` for a
 * path or link outside the allowed folders, before anything is read there.
 */
export async function resolveInLibrary(
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
    throw scopeErrors["workflow/outside-library"](written, place, root, null);
  }
  const real = realOf(place);
  // A missing path is checked by its parent folder.
  const realRoots = [...roots, home].map(realOf);
  if (realRoots.some((folder) => isBelow(folder, real))) return;
  throw scopeErrors["workflow/outside-library"](written, place, root, real);
}

/** Resolves links in the existing part of a path. */
function realOf(place: string): string {
  try {
    return realpathSync.native(place);
  } catch (error) {
    const parent = path.dirname(place);
    const known = ["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "");
    return known && parent !== place ? realOf(parent) : place;
  }
}
