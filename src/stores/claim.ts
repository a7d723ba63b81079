import path from "node:path";
import { errorCode } from "../core/error-code.ts";
import type { LockHolder } from "../ports/store.ts";
import type { Disk } from "./disk.ts";
import { type HostIdentity, isVisible } from "./host-identity.ts";
import { type Generation, isClaimFile } from "./lock-file.ts";
import { makeDurableFolder } from "./root-folder.ts";

/** What a lock needs to know of the world. */
export interface LockWorld {
  readonly disk: Disk;
  readonly place: HostIdentity;
  /** Of this process. */
  readonly pid: number;
  readonly now: () => Date;
  /** Names a living process for ever; null for one that is dead. `known` is the name that it had. */
  readonly identify: (pid: number, known: string | null) => Promise<string | null>;
  /** When somebody has last written for this run, ISO 8601; null where nothing tells. */
  readonly heardAt: () => Promise<string | null>;
}

/**
 * Writes a claim, unless it stands (L3 of `lock.ts`: before every look the
 * claim stands, and a holder may have removed it).
 */
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

/** Removes every claim in a run's folder. Those whose they were will see that they must look again. */
export async function removeClaims(disk: Disk, folder: string): Promise<void> {
  for (const name of await disk.names(folder)) {
    if (isClaimFile(name)) await disk.remove(path.join(folder, name));
  }
}

/** Who has made a generation, as people are told. */
export async function holderOf(
  { disk, place, heardAt }: Pick<LockWorld, "disk" | "place" | "heardAt">,
  { record, file }: Pick<Generation, "record" | "file">,
): Promise<LockHolder> {
  const { host, pid, identity, started_at: startedAt } = record;
  const made = (await disk.entry(file))?.modifiedAt.toISOString() ?? startedAt;
  const heard = [made, (await heardAt()) ?? made].toSorted().at(-1) ?? made;
  return { host, pid, identity, startedAt, visible: isVisible(record, place), heardAt: heard };
}
