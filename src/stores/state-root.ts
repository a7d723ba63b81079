import path from "node:path";
import { RaymondError } from "../core/errors.ts";
import { type Disk, type DiskEntry, nodeDisk } from "./disk.ts";

const FOLDER = ".raymond";

export interface StateRootOptions {
  /** What `--state-dir` says: the place itself, whatever stands around it. */
  readonly stateDir?: string | null;
  readonly disk?: Disk;
  /** Id of the user; null where files have no owners. */
  readonly user?: number | null;
}

/**
 * The folder that holds runs and configuration (docs/state-file.md, "Where
 * things lie"), absolute: the nearest `.raymond` from the launch folder upward,
 * not above the folder that holds `.git`; else the one to be made beside `.git`.
 * Without a `.git` only the launch folder counts. Makes nothing. Rejects with a
 * {@link StateRootError} for one that belongs to another user or is no folder.
 */
export async function findStateRoot(
  launchDir: string,
  options: StateRootOptions = {},
): Promise<string> {
  const { disk = nodeDisk(), user = process.getuid?.() ?? null, stateDir = null } = options;
  const launch = path.resolve(launchDir);
  if (stateDir !== null) {
    const chosen = path.resolve(launch, stateDir);
    refuseUnlessFolder(await entryAt(disk, chosen), chosen);
    return chosen;
  }
  const folders = await projectFolders(disk, launch);
  for (const folder of folders) {
    const root = path.join(folder, FOLDER);
    const entry = await entryAt(disk, root);
    if (entry === null) continue;
    refuseUnlessFolder(entry, root);
    await refuseForeign(disk, root, user);
    return root;
  }
  return path.join(folders.at(-1) ?? launch, FOLDER);
}

/**
 * Rejects with a {@link StateRootError} for a place that another user has made,
 * or that is a link to one: what lies there says which programs are run.
 */
export async function refuseForeign(
  disk: Disk,
  place: string,
  user: number | null = process.getuid?.() ?? null,
): Promise<void> {
  if (user === null) return;
  const real = (await disk.realPath(place).catch(() => null)) ?? place;
  for (const each of [place, real]) {
    const entry = await entryAt(disk, each);
    const owner: number = entry?.owner ?? user;
    if (owner === user) continue;
    const reason = `belongs to another user (id ${String(owner)}, and you are ${String(user)})`;
    throw new StateRootError(place, reason);
  }
}

/** The folder for runs and configuration is there, but must not be used. */
class StateRootError extends RaymondError {
  override readonly name = "StateRootError";
  readonly code = "store/unusable-root";
  readonly folder: string;

  constructor(folder: string, reason: string) {
    super(`${folder} cannot be used: it ${reason}.`, {
      hint: "Name another place for the runs with --state-dir.",
    });
    this.folder = folder;
  }
}

/** From the launch folder up to the one that holds `.git`; without one, only the launch folder. */
async function projectFolders(disk: Disk, launch: string): Promise<readonly string[]> {
  const folders: string[] = [];
  for (let folder = launch; ; folder = path.dirname(folder)) {
    folders.push(folder);
    if ((await entryAt(disk, path.join(folder, ".git"))) !== null) return folders;
    if (folder === path.dirname(folder)) return [launch];
  }
}

/** Null also where we may not look: a folder above that is closed to us is not our project. */
function entryAt(disk: Disk, place: string): Promise<DiskEntry | null> {
  return disk.entry(place).catch(() => null);
}

function refuseUnlessFolder(entry: DiskEntry | null, place: string): void {
  if (entry !== null && entry.kind !== "folder") throw new StateRootError(place, "is not a folder");
}
