import { randomUUID } from "node:crypto";
import path from "node:path";
import type { LockHolder, RunLock } from "../../engine/ports/store.ts";
import { errorCode } from "../../language/basics/error-code.ts";
import type { RunId } from "../../machine/model/run-state.ts";
import type { Disk } from "../disk.ts";
import { isCertain, RunLockedError } from "../errors.ts";
import { makeDurableFolder } from "../root-folder.ts";
import { isVisible } from "./host-identity.ts";
import {
  type Generation,
  generations,
  isClaimFile,
  type LockRecord,
  latestGeneration,
  lockFile,
  printRecord,
} from "./lock-file.ts";
import { mayBeAlive, type ProcessLookup, processRecord } from "./process-record.ts";

/*
 * The lock of a run is the highest of the files `lock.<n>` (generations) in its folder. It is held while that file is
 * not marked as released and its process is alive. Why two processes can never hold it:
 *
 * L1  Lock files appear atomically: a process writes and fsyncs `claim.<uuid>` and then links it. `link` fails if the
 *     name exists. So each generation has one writer, and no reader sees a partial file.
 * L2  A free generation stays free: it is free once its writer has marked it as released or has died, and identities
 *     of processes are never reused. Only a process that has found generation n free writes n + 1.
 * L3  A number is never used twice, although lower files are deleted. A claimer writes its claim before it checks the
 *     lock. A holder deletes all claims before the lower generations. So when a number disappears, the claims of all
 *     processes that checked before are gone, their `link` fails, they check again and see the higher number.
 *     (A check after the link would find it too, and is done as well.)
 * L4  The highest generation is never deleted, except with the whole run: releasing replaces the file. Deleting the
 *     run removes all claims before the last lock file, so L3 holds there too.
 *
 * By L1 to L4 the holders form a chain: the holder of n + 1 starts after n is permanently free.
 *
 * L5  Users may delete lock files (`git clean`). So a holder checks its file before each save. If there is none, it
 *     writes the first generation again, by L1. If there is one of another process, it has lost the run and saves
 *     nothing more.
 *
 * L6  A holder that is not visible from this machine can be taken over on request of the user, and only the holder
 *     that existed at the request: of two concurrent requests the second finds the first as a live holder that was
 *     just active. If the former holder is alive, it loses the run by L5 at its next save.
 */

export interface LockEnvironment extends ProcessLookup {
  readonly disk: Disk;
  readonly pid: number;
  readonly now: () => Date;
  /** The time of the last write for this run, ISO 8601; null if unknown. */
  readonly lastActivityAt: () => Promise<string | null>;
}

/**
 * Acquires the lock of the run in `folder`. Rejects with a {@link RunLockedError} while any process holds it, this one
 * included. `takeOver` as in `Claiming`.
 */
export async function claimLock(
  world: LockEnvironment,
  folder: string,
  id: RunId,
  takeOver = false,
): Promise<HeldLock> {
  const own = await processRecord(world, world.pid);
  if (own.identity === "") throw new Error("Cannot identify the own process");
  const record = { ...own, started_at: world.now().toISOString(), released: false };
  const lock = new HeldLock(world, folder, id, record);
  await lock.claim(takeOver ? await absentHolder(world, folder, id) : null);
  return lock;
}

/** The process that holds the lock of the run in `folder`; null if it is free. Writes nothing. */
export async function lockHolder(
  world: Omit<LockEnvironment, "now" | "pid">,
  folder: string,
  id: RunId,
): Promise<LockHolder | null> {
  const top = await latestGeneration(world.disk, folder, id);
  return top === null || (await isFree(world, top.record)) ? null : holderOf(world, top);
}

/** The lock of a run that this process holds. */
export class HeldLock implements RunLock {
  previousHolder: LockHolder | null = null;
  readonly #world: LockEnvironment;
  readonly #folder: string;
  readonly #id: RunId;
  readonly #record: LockRecord;
  /** The path of our lock file, and its modification time, epoch ms. */
  #file = "";
  #writtenAt: number | null = null;
  #released: Promise<void> | null = null;

  constructor(world: LockEnvironment, folder: string, id: RunId, record: LockRecord) {
    this.#world = world;
    this.#folder = folder;
    this.#id = id;
    this.#record = record;
  }

  /** `absent`: a holder that may be taken over (L6). */
  async claim(absent: Generation | null): Promise<void> {
    const { disk } = this.#world;
    await this.#withClaim(async (claim) => {
      for (;;) {
        await this.#writeClaim(claim);
        const below = await latestGeneration(disk, this.#folder, this.#id);
        const previous = below === null ? null : await this.#refuseUnlessFree(below, absent);
        const number = (below?.number ?? 0) + 1;
        // Another process was faster (L1), or the check was too long ago (L3), or the run was deleted.
        if (!(await this.#link(claim, number))) continue;
        const all = await generations(disk, this.#folder);
        if (all.at(-1) !== number) {
          await disk.remove(lockFile(this.#folder, number));
          continue;
        }
        this.previousHolder = previous;
        this.#file = lockFile(this.#folder, number);
        // L3: claims first.
        await removeClaims(disk, this.#folder);
        const lower = await generations(disk, this.#folder);
        for (const each of lower) {
          if (each < number) await disk.remove(lockFile(this.#folder, each));
        }
        this.#writtenAt = await this.#modifiedAt();
        return;
      }
    });
  }

  /**
   * Returns whether the lock file was unchanged. Writes it again if it was deleted, even with its folder. Rejects with a
   * {@link RunLockedError} if another process has or had the lock.
   */
  async ensureHeld(): Promise<boolean> {
    // Called before every save, so it costs one stat call: any other file has another time.
    const found = await this.#modifiedAt();
    if (found !== null && found === this.#writtenAt) return true;
    this.#file = lockFile(this.#folder, await this.#reacquire());
    this.#writtenAt = await this.#modifiedAt();
    return false;
  }

  release(): Promise<void> {
    this.#released ??= this.#release();
    return this.#released;
  }

  /** Releases the lock by deleting its last file. The folder must be empty otherwise. */
  removeWithRun(): Promise<void> {
    this.#released ??= this.#removeLast();
    return this.#released;
  }

  async #release(): Promise<void> {
    const { disk } = this.#world;
    const claim = this.#newClaim();
    try {
      // The file was deleted, and another process may hold the lock now (L5).
      if ((await this.#modifiedAt()) !== this.#writtenAt) return;
      await disk.write(claim, printRecord({ ...this.#record, released: true }));
      await disk.rename(claim, this.#file);
    } catch {
      // The disk is full, or the folder was deleted. The lock ends with this process at the latest.
      await disk.remove(claim).catch(() => undefined);
    }
  }

  /** L4: claims first. */
  async #removeLast(): Promise<void> {
    const { disk } = this.#world;
    await removeClaims(disk, this.#folder);
    await disk.remove(this.#file);
    await disk.removeEmptyFolder(this.#folder);
  }

  /**
   * The generation of this process after the lock file was changed from outside: the existing one if it is ours, a new
   * one if there is none. Any other was written by a process that found the run free because of that change.
   */
  async #reacquire(): Promise<number> {
    const text = printRecord(this.#record);
    return this.#withClaim(async (claim) => {
      for (;;) {
        const top = await latestGeneration(this.#world.disk, this.#folder, this.#id);
        if (top !== null && printRecord(top.record) === text) return top.number;
        if (top !== null) throw new RunLockedError(this.#id, await holderOf(this.#world, top));
        await this.#writeClaim(claim);
        await this.#link(claim, 1);
      }
    });
  }

  /** The holder that is taken over; null if the run is free. */
  async #refuseUnlessFree(top: Generation, absent: Generation | null): Promise<LockHolder | null> {
    if (await isFree(this.#world, top.record)) return null;
    const holder = await holderOf(this.#world, top);
    const isAbsent =
      top.number === absent?.number && printRecord(top.record) === printRecord(absent.record);
    if (isAbsent) return holder;
    throw new RunLockedError(this.#id, holder);
  }

  #newClaim(): string {
    return path.join(this.#folder, `claim.${randomUUID()}`);
  }

  async #withClaim<T>(work: (claim: string) => Promise<T>): Promise<T> {
    const claim = this.#newClaim();
    try {
      return await work(claim);
    } finally {
      await this.#world.disk.remove(claim);
    }
  }

  /** Called before each check (L3), since a holder may have removed the claim. */
  async #writeClaim(claim: string): Promise<void> {
    const { disk } = this.#world;
    if ((await disk.entry(claim)) !== null) return;
    for (;;) {
      await makeDurableFolder(disk, this.#folder);
      try {
        await disk.write(claim, printRecord(this.#record));
        return;
      } catch (error) {
        if (errorCode(error) !== "ENOENT") throw error;
      }
    }
  }

  /** False if the generation exists, or the claim does not. */
  async #link(claim: string, generation: number): Promise<boolean> {
    try {
      await this.#world.disk.link(claim, lockFile(this.#folder, generation));
      return true;
    } catch (error) {
      const code = errorCode(error);
      if (code === "EEXIST" || code === "ENOENT") return false;
      throw error;
    }
  }

  /** Null if our lock file does not exist. */
  async #modifiedAt(): Promise<number | null> {
    return (await this.#world.disk.entry(this.#file))?.modifiedAt.getTime() ?? null;
  }
}

/** A holder with more recent activity is not taken over. */
const SILENT_MS = 10_000;
const CLOCK_OFF_MS = 60_000;

/** The generation of a holder that is neither visible from here nor active; null if there is none. */
async function absentHolder(
  world: LockEnvironment,
  folder: string,
  id: RunId,
): Promise<Generation | null> {
  const top = await latestGeneration(world.disk, folder, id);
  if (top === null || (await isFree(world, top.record))) return null;
  const holder = await holderOf(world, top);
  const silentMs = world.now().getTime() - Date.parse(holder.lastSeenAt);
  // A time far in the future comes from a wrong clock.
  const isActive = silentMs < SILENT_MS && silentMs > -CLOCK_OFF_MS;
  return isCertain(holder) || isActive ? null : top;
}

async function isFree(world: ProcessLookup, record: LockRecord): Promise<boolean> {
  return record.released || !(await mayBeAlive(world, record));
}

/** The process that wrote a generation, for messages. */
async function holderOf(
  { disk, place, lastActivityAt }: Pick<LockEnvironment, "disk" | "place" | "lastActivityAt">,
  { record, file }: Pick<Generation, "record" | "file">,
): Promise<LockHolder> {
  const { host, pid, identity, started_at: startedAt } = record;
  const writtenAt = (await disk.entry(file))?.modifiedAt.toISOString() ?? startedAt;
  const times = [writtenAt, (await lastActivityAt()) ?? writtenAt];
  const lastSeenAt = times.toSorted().at(-1) ?? writtenAt;
  return { host, pid, identity, startedAt, visible: isVisible(record, place), lastSeenAt };
}

/** Removes all claims in a run's folder. Their owners then check the lock again. */
async function removeClaims(disk: Disk, folder: string): Promise<void> {
  for (const name of await disk.names(folder)) {
    if (isClaimFile(name)) await disk.remove(path.join(folder, name));
  }
}
