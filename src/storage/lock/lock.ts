import { randomUUID } from "node:crypto";
import path from "node:path";
import type { LockHolder } from "../../engine/ports/store.ts";
import { errorCode } from "../../language/basics/error-code.ts";
import type { RunId } from "../../machine/run-state.ts";
import type { Disk } from "../disk.ts";
import { isCertain, RunLockedError } from "../errors.ts";
import { holderOf, type LockEnvironment, removeClaims, writeClaim } from "./claim.ts";
import { type HeldLock, heldLock } from "./held-lock.ts";
import { isVisible } from "./host-identity.ts";
import {
  type Generation,
  generations,
  type LockRecord,
  latestGeneration,
  lockFile,
  printRecord,
} from "./lock-file.ts";

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
  const { disk } = world;
  const record = await ownRecord(world);
  const claim = path.join(folder, `claim.${randomUUID()}`);
  const absent = takeOver ? await absentHolder(world, folder, id) : null;
  try {
    for (;;) {
      const made = await claimOnce(world, folder, id, claim, printRecord(record), absent);
      if (made === null) continue;
      const { number, takenFrom } = made;
      await removeLower(disk, folder, number);
      return await heldLock(world, folder, id, number, record, takenFrom);
    }
  } finally {
    await disk.remove(claim);
  }
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

interface Made {
  readonly number: number;
  readonly takenFrom: LockHolder | null;
}

/** One attempt; null if the lock must be checked again. `absent` is taken over (L6). */
async function claimOnce(
  world: LockEnvironment,
  folder: string,
  id: RunId,
  claim: string,
  text: string,
  absent: Generation | null,
): Promise<Made | null> {
  const { disk } = world;
  await writeClaim(disk, folder, claim, text);
  const below = await latestGeneration(disk, folder, id);
  const takenFrom = below === null ? null : await refuseUnlessFree(world, below, id, absent);

  const number = (below?.number ?? 0) + 1;
  const file = lockFile(folder, number);
  try {
    await disk.link(claim, file);
  } catch (error) {
    // Another process was faster (L1), or the check was too long ago (L3), or the run was deleted.
    const code = errorCode(error);
    if (code === "EEXIST" || code === "ENOENT") return null;
    throw error;
  }
  if ((await generations(disk, folder)).at(-1) === number) return { number, takenFrom };
  await disk.remove(file);
  return null;
}

/** The holder that is taken over; null if the run is free. */
async function refuseUnlessFree(
  world: LockEnvironment,
  top: Generation,
  id: RunId,
  absent: Generation | null,
): Promise<LockHolder | null> {
  if (await isFree(world, top.record)) return null;
  const holder = await holderOf(world, top);
  const isAbsent =
    top.number === absent?.number && printRecord(top.record) === printRecord(absent.record);
  if (isAbsent) return holder;
  throw new RunLockedError(id, holder);
}

async function isFree(
  { place, identify }: Pick<LockEnvironment, "place" | "identify">,
  record: LockRecord,
): Promise<boolean> {
  if (record.released) return true;
  if (!isVisible(record, place)) return false;
  return (await identify(record.pid, record.identity)) !== record.identity;
}

/** L3: claims first. */
async function removeLower(disk: Disk, folder: string, number: number): Promise<void> {
  await removeClaims(disk, folder);
  for (const lower of await generations(disk, folder)) {
    if (lower < number) await disk.remove(lockFile(folder, lower));
  }
}

async function ownRecord({ place, pid, now, identify }: LockEnvironment): Promise<LockRecord> {
  const identity = await identify(pid, null);
  if (identity === null) throw new Error("Cannot identify the own process");
  const { host, machine, boot, namespace } = place;
  const started_at = now().toISOString();
  return { pid, host, started_at, identity, machine, boot, namespace, released: false };
}
