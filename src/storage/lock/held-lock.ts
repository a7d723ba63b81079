import { randomUUID } from "node:crypto";
import path from "node:path";
import type { LockHolder, RunLock } from "../../engine/ports/store.ts";
import { errorCode } from "../../language/basics/error-code.ts";
import type { RunId } from "../../machine/run-state.ts";
import type { Disk } from "../disk.ts";
import { RunLockedError } from "../errors.ts";
import { holderOf, type LockEnvironment, removeClaims, writeClaim } from "./claim.ts";
import { type LockRecord, latestGeneration, lockFile, printRecord } from "./lock-file.ts";

export interface HeldLock extends RunLock {
  /**
   * Returns whether the lock file was unchanged. Writes it again if it was deleted, even with its folder. Rejects with a
   * {@link RunLockedError} if another process has or had the lock.
   */
  ensureHeld(): Promise<boolean>;
  /** Releases the lock by deleting its last file. The folder must be empty otherwise. */
  removeWithRun(): Promise<void>;
}

/** The lock of a run whose generation `first` this process has just written. */
export async function heldLock(
  world: LockEnvironment,
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
      // The file was deleted, and another process may hold the lock now (L5).
      if ((await madeAt(disk, lockFile(folder, number))) !== made) return;
      await disk.write(claim, printRecord({ ...record, released: true }));
      await disk.rename(claim, lockFile(folder, number));
    } catch {
      // The disk is full, or the folder was deleted. The lock ends with this process at the latest.
      await disk.remove(claim).catch(() => undefined);
    }
  };
  return {
    previousHolder: takenFrom,
    ensureHeld: async () => {
      // Called before every save, so it costs one stat call: any other file has another time.
      const there = await madeAt(disk, lockFile(folder, number));
      if (there !== null && there === made) return true;
      number = await reacquire(world, folder, id, record);
      made = await madeAt(disk, lockFile(folder, number));
      return false;
    },
    release: () => (released ??= release()),
    removeWithRun: () => (released ??= removeLast(disk, folder, lockFile(folder, number))),
  };
}

/** Modification time, epoch ms; null if the file does not exist. */
async function madeAt(disk: Disk, file: string): Promise<number | null> {
  return (await disk.entry(file))?.modifiedAt.getTime() ?? null;
}

/**
 * The generation of this process after the lock file was changed from outside: the existing one if it is ours, a new one
 * if there is none. Any other was written by a process that found the run free because of that change.
 */
async function reacquire(
  world: LockEnvironment,
  folder: string,
  id: RunId,
  record: LockRecord,
): Promise<number> {
  const { disk } = world;
  const claim = path.join(folder, `claim.${randomUUID()}`);
  const text = printRecord(record);
  try {
    for (;;) {
      const top = await latestGeneration(disk, folder, id);
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
