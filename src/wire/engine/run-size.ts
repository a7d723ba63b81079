import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import path from "node:path";
import type { RunId } from "../../machine/model/run-state.ts";
import type { Disk } from "../../storage/disk.ts";
import { refuseLinkedState, refuseLinks } from "../../storage/refuse-links.ts";
import { artifactsOf, findHome } from "../../storage/run-home.ts";

/**
 * Bytes of all files of a run. Unreadable files count 0. Rejects if the run cannot be deleted
 * because one of its paths is a link.
 */
export async function runSize(disk: Disk, root: string, id: RunId): Promise<number> {
  const home = await findHome(disk, root, id);
  await refuseLinkedState(disk, root, id);
  await refuseLinks(disk, home);
  const { stateFile, folder } = home;
  const { debug } = artifactsOf(home);
  const sizes = await Promise.all([sizeOf(stateFile), sizeIn(folder), sizeIn(debug)]);
  return sizes.reduce((sum, size) => sum + size, 0);
}

export async function sizeIn(folder: string): Promise<number> {
  const found = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  let sum = 0;
  for (const entry of found) if (entry.isFile()) sum += await sizeOf(placeOf(entry));
  return sum;
}

function placeOf(entry: Dirent): string {
  return path.join(entry.parentPath, entry.name);
}

async function sizeOf(file: string): Promise<number> {
  const found = await lstat(file).catch(() => null);
  return found?.size ?? 0;
}
