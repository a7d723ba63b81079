import { randomUUID } from "node:crypto";
import path from "node:path";
import { errorCode } from "../core/error-code.ts";
import type { RunId } from "../core/machine/run-state.ts";
import type { LockHolder, RunLock } from "../ports/store.ts";
import { holderOf, type LockWorld, removeClaims, writeClaim } from "./claim.ts";
import type { Disk } from "./disk.ts";
import { RunLockedError } from "./errors.ts";
import { highest, type LockRecord, lockFile, printRecord } from "./lock-file.ts";

/** A lock that is held; it can also be taken away together with the run. */
export interface HeldLock extends RunLock {
  /**
   * Whether the lock stood as it was left. Where somebody has removed its file,
   * with the folder around it perhaps, it stands again afterwards; where
   * another process has the run by now, or had it meanwhile, it rejects with a
   * {@link RunLockedError}.
   */
  keep(): Promise<boolean>;
  /** Ends the lock by removing its last file. The folder must hold nothing else by then. */
  removeWithRun(): Promise<void>;
}

/** The lock of a run from the moment in which its generation has been made; `first` is its number. */
export async function heldLock(
  world: LockWorld,
  folder: string,
  id: RunId,
  first: number,
  record: LockRecord,
  takenFrom: LockHolder | null,
): Promise<HeldLock> {
  const { disk } = world;
  let number = first;
  let made = await madeAt(disk, lockFile(folder, number));
  let released: Promise<void> | null = null;

  const release = async () => {
    const claim = path.join(folder, `claim.${randomUUID()}`);
    try {
      // Somebody has removed it, and it may be another's by now (L5).
      if ((await madeAt(disk, lockFile(folder, number))) !== made) return;
      await disk.write(claim, printRecord({ ...record, released: true }));
      await disk.rename(claim, lockFile(folder, number));
    } catch {
      // The disk may be full, or the folder gone. The lock ends with this process, at the latest.
      await disk.remove(claim).catch(() => undefined);
    }
  };
  return {
    takenFrom,
    keep: async () => {
      // Before every save, so it costs one look: any other file than ours has another time.
      const there = await madeAt(disk, lockFile(folder, number));
      if (there !== null && there === made) return true;
      number = await takeAnew(world, folder, id, record);
      made = await madeAt(disk, lockFile(folder, number));
      return false;
    },
    release: () => (released ??= release()),
    removeWithRun: () => (released ??= removeLast(disk, folder, lockFile(folder, number))),
  };
}

/** When the file was written; null when it is gone. */
async function madeAt(disk: Disk, file: string): Promise<number | null> {
  return (await disk.entry(file))?.modifiedAt.getTime() ?? null;
}

/**
 * The generation of this process's lock after somebody has disturbed it: the
 * one that stands where it is ours, a new one where there is none. Any other
 * was made by a process that found the run free, as L2 could not foresee.
 */
async function takeAnew(
  world: LockWorld,
  folder: string,
  id: RunId,
  record: LockRecord,
): Promise<number> {
  const { disk } = world;
  const claim = path.join(folder, `claim.${randomUUID()}`);
  const text = printRecord(record);
  try {
    for (;;) {
      const top = await highest(disk, folder, id);
      if (top !== null && printRecord(top.record) === text) return top.number;
      if (top !== null) throw new RunLockedError(id, await holderOf(world, top));
      await writeClaim(disk, folder, claim, text);
      try {
        await disk.link(claim, lockFile(folder, 1));
      } catch (error) {
        const code = errorCode(error);
        if (code !== "EEXIST" && code !== "ENOENT") throw error;
      }
    }
  } finally {
    await disk.remove(claim);
  }
}

/** L4: claims first. */
async function removeLast(disk: Disk, folder: string, file: string): Promise<void> {
  await removeClaims(disk, folder);
  await disk.remove(file);
  await disk.removeEmptyFolder(folder);
}
