import { randomUUID } from "node:crypto";
import path from "node:path";
import { errorCode } from "../core/error-code.ts";
import type { RunId } from "../core/machine/run-state.ts";
import type { LockHolder } from "../ports/store.ts";
import { holderOf, type LockWorld, removeClaims, writeClaim } from "./claim.ts";
import type { Disk } from "./disk.ts";
import { isCertain, RunLockedError } from "./errors.ts";
import { type HeldLock, heldLock } from "./held-lock.ts";
import { isVisible } from "./host-identity.ts";
import {
  type Generation,
  generations,
  highest,
  type LockRecord,
  lockFile,
  printRecord,
} from "./lock-file.ts";

/*
 * The lock of a run is the highest of the files `lock.<n>` in its folder: it is
 * held while that one is not released and its process lives. Why two processes
 * can never hold it:
 *
 * L1  A lock file is whole from the moment it has its name: it is written and
 *     fsynced as `claim.<uuid>` and then linked; `link` refuses a name that is
 *     taken. So each generation has one maker, and no reader sees half a file.
 * L2  "Free" is final. A generation is left only when its maker has marked it
 *     as released or is dead, and neither is ever taken back: the identity of a
 *     process is not used again. Generation n + 1 is made only by one who has
 *     seen that n is free, and who is refused otherwise.
 * L3  A number is never made twice, though lower files are removed. Who claims
 *     writes its claim first and looks then; who holds removes all claims first
 *     and the lower generations then. So when a number goes, the claim of
 *     everyone who looked before it came is gone already, and `link` has
 *     nothing to link: that one must look again, and sees the higher number.
 *     (A look after the link would show it too, and is taken all the same.)
 * L4  The highest generation is never removed (releasing replaces it), so
 *     numbers never begin anew, but for the removal of the whole run, where by
 *     the same order all claims go before the last lock file goes.
 *
 * By L1 to L4 those who hold form one chain, n + 1 after n, and each link of
 * it begins when the one before is free for ever.
 *
 * L5  Somebody may remove the files of a lock all the same (`git clean`). So who
 *     holds looks before each save whether its file stands. Where there is none
 *     it makes the first one anew, by L1; where there is another's, it has lost
 *     the run, and writes no more.
 *
 * L6  A holder that cannot be seen from here may be taken for dead by a person's
 *     word, and only the one that was there when the word was given: of two who
 *     give it at once, the second meets the first, who lives, and has been heard
 *     just now. Where the word was
 *     wrong, the holder loses the run by L5, at its next save.
 */

/**
 * Claims the run whose own folder this is. Rejects with a
 * {@link RunLockedError} while another process holds it, or this one does;
 * `takeOver` as for `Claiming`.
 */
export async function claimLock(
  world: LockWorld,
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

/** Who holds the run whose own folder this is; null when nobody does. Writes nothing. */
export async function lockHolder(
  world: Omit<LockWorld, "now" | "pid">,
  folder: string,
  id: RunId,
): Promise<LockHolder | null> {
  const top = await highest(world.disk, folder, id);
  return top === null || (await isFree(world, top.record)) ? null : holderOf(world, top);
}

/** Nobody is taken for dead who has been heard since. */
const SILENT_MS = 10_000;
const CLOCK_OFF_MS = 60_000;

/** The generation of a silent holder that cannot be seen from here; null where there is none. */
async function absentHolder(
  world: LockWorld,
  folder: string,
  id: RunId,
): Promise<Generation | null> {
  const top = await highest(world.disk, folder, id);
  if (top === null || (await isFree(world, top.record))) return null;
  const holder = await holderOf(world, top);
  const silentMs = world.now().getTime() - Date.parse(holder.heardAt);
  // A clock that is far ahead tells nothing.
  const isHeard = silentMs < SILENT_MS && silentMs > -CLOCK_OFF_MS;
  return isCertain(holder) || isHeard ? null : top;
}

/** The generation that was made and is held. */
interface Made {
  readonly number: number;
  readonly takenFrom: LockHolder | null;
}

/** One attempt; null when the look must be taken again. `absent` is taken for dead (L6). */
async function claimOnce(
  world: LockWorld,
  folder: string,
  id: RunId,
  claim: string,
  text: string,
  absent: Generation | null,
): Promise<Made | null> {
  const { disk } = world;
  await writeClaim(disk, folder, claim, text);
  const below = await highest(disk, folder, id);
  const takenFrom = below === null ? null : await refuseUnlessFree(world, below, id, absent);

  const number = (below?.number ?? 0) + 1;
  const file = lockFile(folder, number);
  try {
    await disk.link(claim, file);
  } catch (error) {
    // Another was faster (L1), or we looked too long ago (L3), or the run was removed.
    const code = errorCode(error);
    if (code === "EEXIST" || code === "ENOENT") return null;
    throw error;
  }
  if ((await generations(disk, folder)).at(-1) === number) return { number, takenFrom };
  await disk.remove(file);
  return null;
}

/** The holder that is taken for dead; null where the run is free. */
async function refuseUnlessFree(
  world: LockWorld,
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
  { place, identify }: Pick<LockWorld, "place" | "identify">,
  record: LockRecord,
): Promise<boolean> {
  if (record.released) return true;
  if (!isVisible(record, place)) return false;
  return (await identify(record.pid, record.identity)) !== record.identity;
}

/** L3: claims first. Those whose they were will see that they must look again. */
async function removeLower(disk: Disk, folder: string, number: number): Promise<void> {
  await removeClaims(disk, folder);
  for (const lower of await generations(disk, folder)) {
    if (lower < number) await disk.remove(lockFile(folder, lower));
  }
}

async function ownRecord({ place, pid, now, identify }: LockWorld): Promise<LockRecord> {
  const identity = await identify(pid, null);
  if (identity === null) throw new Error("This process cannot see that it lives itself");
  const { host, machine, boot, namespace } = place;
  const started_at = now().toISOString();
  return { pid, host, started_at, identity, machine, boot, namespace, released: false };
}
