import path from "node:path";
import type { LockHolder } from "../../engine/ports/store.ts";
import { errorCode } from "../../language/basics/error-code.ts";
import type { Disk } from "../disk.ts";
import { makeDurableFolder } from "../root-folder.ts";
import { type HostIdentity, isVisible } from "./host-identity.ts";
import { type Generation, isClaimFile } from "./lock-file.ts";

/** The environment of a lock. */
export interface LockEnvironment {
  readonly disk: Disk;
  readonly place: HostIdentity;
  /** Pid of this process. */
  readonly pid: number;
  readonly now: () => Date;
  /** A permanent identity of a live process; null for a dead one. `known`: its identity so far. */
  readonly identify: (pid: number, known: string | null) => Promise<string | null>;
  /** The time of the last write for this run, ISO 8601; null if unknown. */
  readonly lastActivityAt: () => Promise<string | null>;
}

/** Writes a claim unless it exists. Called before each check (L3 of `lock.ts`), since a holder may have removed it. */
export async function writeClaim(
  disk: Disk,
  folder: string,
  claim: string,
  text: string,
): Promise<void> {
  if ((await disk.entry(claim)) !== null) return;
  for (;;) {
    await makeDurableFolder(disk, folder);
    try {
      await disk.write(claim, text);
      return;
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
    }
  }
}

/** Removes all claims in a run's folder. Their owners then check the lock again. */
export async function removeClaims(disk: Disk, folder: string): Promise<void> {
  for (const name of await disk.names(folder)) {
    if (isClaimFile(name)) await disk.remove(path.join(folder, name));
  }
}

/** The process that wrote a generation, for messages. */
export async function holderOf(
  {
    disk,
    place,
    lastActivityAt: heardAt,
  }: Pick<LockEnvironment, "disk" | "place" | "lastActivityAt">,
  { record, file }: Pick<Generation, "record" | "file">,
): Promise<LockHolder> {
  const { host, pid, identity, started_at: startedAt } = record;
  const made = (await disk.entry(file))?.modifiedAt.toISOString() ?? startedAt;
  const latest = [made, (await heardAt()) ?? made].toSorted().at(-1) ?? made;
  return { host, pid, identity, startedAt, visible: isVisible(record, place), lastSeenAt: latest };
}
