import { randomUUID } from "node:crypto";
import { statfs } from "node:fs/promises";
import path from "node:path";
import { type Check, failedBy, ok, warning } from "../inspect/check.ts";
import { errorCode } from "../language/basics/error-code.ts";
import { mountTable } from "../process/platform/mac-host.ts";
import { type Disk, nodeDisk } from "../storage/disk.ts";
import { orDiskError } from "../storage/errors.ts";
import { checkFileSystem, checkMacVolume, checkSpace } from "./file-system.ts";

/**
 * Whether runs can be stored in this folder. Tries every disk operation of saving and locking
 * there, and removes the result. For a missing folder, tries them in its nearest parent.
 */
export async function checkStateFolder(
  root: string,
  platform: NodeJS.Platform = process.platform,
): Promise<readonly Check[]> {
  const disk = nodeDisk();
  const place = await nearestPlace(disk, root);
  const tried = await tryDurably(disk, place, root);
  const volume = await statfs(place).catch(() => null);
  if (volume === null) return [tried];
  return [
    tried,
    platform === "darwin"
      ? checkMacVolume((await mountTable()) ?? "", `${(await disk.realPath(place)) ?? place}/`)
      : checkFileSystem(volume.type, platform),
    checkSpace({
      freeBytes: volume.bavail * volume.bsize,
      freeFiles: volume.files === 0 ? null : volume.ffree,
    }),
  ];
}

async function tryDurably(disk: Disk, place: string, root: string): Promise<Check> {
  const trial = path.join(place, `.raymond-doctor-${randomUUID().slice(0, 8)}`);
  const later = place === root ? "" : " (made by the first run)";
  try {
    const ms = await orDiskError("save a run in", root, () => save(disk, trial));
    const took = `${ms.toFixed(1)} ms for a durable write`;
    return ms > SLOW_MS
      ? warning("runs", `${root}${later}: ${took}.`, "Every step waits for one: use a faster disk.")
      : ok("runs", `${root}${later}, ${took}`);
  } catch (error) {
    return failedBy("runs")(error);
  } finally {
    await disk.removeTree(trial).catch(() => undefined);
  }
}

const SLOW_MS = 200;

/** Repeats the disk operations of the store and the lock. Returns the duration of a save, ms. */
async function save(disk: Disk, trial: string): Promise<number> {
  const at = (name: string) => path.join(trial, name);
  await disk.makeFolder(trial);
  await disk.write(at("claim"), "x");
  await disk.link(at("claim"), at("lock.1"));
  await disk.write(at("state"), "old");
  const start = performance.now();
  await disk.write(at("new"), "new");
  await disk.rename(at("new"), at("state"));
  await disk.syncFolder(trial);
  return performance.now() - start;
}

/** The part of the path that exists, which can be a file. */
async function nearestPlace(disk: Disk, root: string): Promise<string> {
  for (let place = root; ; place = path.dirname(place)) {
    const entry = await disk.entry(place).catch((error: unknown) => {
      if (errorCode(error) === null) throw error;
      return null;
    });
    if (entry !== null || place === path.dirname(place)) return place;
  }
}
