import { readlinkSync } from "node:fs";
import path from "node:path";
import { type Disk, type DiskEntry, nodeDisk } from "./disk.ts";
import { storageErrors } from "./errors.ts";

const FOLDER = ".raymond";

export interface StateRootOptions {
  /** `--state-dir`: the folder itself. */
  readonly stateDir?: string | null;
  readonly disk?: Disk;
  /** Id of the user; null if files have no owners. */
  readonly user?: number | null;
}

/**
 * The folder of runs and configuration (docs/state-file.md, "Files"), absolute: the nearest `.raymond` from the launch
 * folder upward, up to the folder with `.git`. Default: `.raymond` next to `.git`, or in the launch folder without a
 * `.git`. Creates nothing. Rejects with `store/unusable-root` if it is not a folder, or belongs to another user.
 */
export async function findStateRoot(
  launchDir: string,
  options: StateRootOptions = {},
): Promise<string> {
  const { disk = nodeDisk(), user = process.getuid?.() ?? null, stateDir = null } = options;
  const launch = path.resolve(launchDir);
  if (stateDir !== null) {
    const chosen = path.resolve(launch, stateDir);
    const entry = await entryAt(disk, chosen);
    if (entry === null) refuseDeadLink(chosen);
    refuseUnlessFolder(entry, chosen);
    return chosen;
  }
  const folders = await projectFolders(disk, launch);
  for (const folder of folders) {
    const root = path.join(folder, FOLDER);
    const entry = await entryAt(disk, root);
    if (entry === null) {
      refuseDeadLink(root);
      continue;
    }
    refuseUnlessFolder(entry, root);
    await refuseForeign(disk, root, user);
    return root;
  }
  return path.join(folders.at(-1) ?? launch, FOLDER);
}

/**
 * Rejects with `store/unusable-root` for a file or folder of another user, or a link to one: its content decides which
 * programs run.
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
    throw storageErrors["store/unusable-root"](place, reason);
  }
}

/** From the launch folder up to the top of the git repository. Without one, only the launch folder. */
async function projectFolders(disk: Disk, launch: string): Promise<readonly string[]> {
  const folders: string[] = [];
  for (let folder = launch; ; folder = path.dirname(folder)) {
    folders.push(folder);
    if (await isGitEntry(disk, path.join(folder, ".git"))) return folders;
    if (folder === path.dirname(folder)) return [launch];
  }
}

/** As `gitEntryAbove` of `src/files`, on this disk. */
async function isGitEntry(disk: Disk, place: string): Promise<boolean> {
  const entry = await entryAt(disk, place);
  if (entry?.kind !== "folder") return entry !== null;
  const names = await disk.names(place).catch(() => null);
  return names === null || names.includes("HEAD");
}

/** Null also without permission: a parent folder that we must not read is not our project. */
function entryAt(disk: Disk, place: string): Promise<DiskEntry | null> {
  return disk.entry(place).catch(() => null);
}

/** A link to a disk that is not mounted, for example. `place` leads to no file. */
function refuseDeadLink(place: string): void {
  let target: string;
  try {
    target = readlinkSync(place);
  } catch {
    return;
  }
  throw storageErrors["store/dead-link"](place, target);
}

function refuseUnlessFolder(entry: DiskEntry | null, place: string): void {
  if (entry !== null && entry.kind !== "folder")
    throw storageErrors["store/unusable-root"](place, "is not a folder");
}
