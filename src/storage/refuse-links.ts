import path from "node:path";
import type { RunId } from "../machine/model/run-state.ts";
import type { Disk } from "./disk.ts";
import { orDiskError, storageErrors } from "./errors.ts";
import { artifactsOf, type RunHome } from "./run-home.ts";

/**
 * Rejects with a `store/linked-place` if a folder in which raymond deletes files of a run is a
 * symbolic link: `runs`, `debug`, the run's folders in both, or what is in the run's own folder.
 * Links further down are safe: to delete a folder deletes the links in it, not their targets.
 */
export async function refuseLinks(disk: Disk, home: RunHome): Promise<void> {
  const { root, folder } = home;
  const { debug } = artifactsOf(home);
  await refuseLinkedPlaces(disk, root, [path.dirname(folder), folder, path.dirname(debug), debug]);
  const names = await orDiskError("check for links in", folder, () => disk.names(folder));
  const entries = names.map((name) => path.join(folder, name));
  await refuseLinkedPlaces(disk, root, entries);
}

/** Rejects with a `store/linked-place` if the state file of a run, or its folder, is a symbolic link. Called before a removal. */
export async function refuseLinkedState(disk: Disk, root: string, id: RunId): Promise<void> {
  const workflows = path.join(root, "workflows");
  await refuseLinkedPlaces(disk, root, [workflows, path.join(workflows, `${id}.json`)]);
}

/** Rejects with a `store/linked-place` if one of these places below `root` is reached by a link below `root`. */
export async function refuseLinkedPlaces(
  disk: Disk,
  root: string,
  places: readonly string[],
): Promise<void> {
  // The state folder itself may be a link, or be below one: the user chose it.
  const realPath = (place: string) =>
    orDiskError("check for links at", place, () => disk.realPath(place));
  const realRoot = await realPath(root);
  if (realRoot === null) return;
  for (const place of places) {
    const real = await realPath(place);
    if (real === null || real === path.join(realRoot, path.relative(root, place))) continue;
    throw storageErrors["store/linked-place"](place, real);
  }
}
