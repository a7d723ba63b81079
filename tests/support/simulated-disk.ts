import type { Disk } from "../../src/stores/disk.ts";
import { SimulatedFiles } from "./simulated-files.ts";

/** What befalls one process at its `at`th call (from 1): it dies in it, or is refused with this code. */
export interface DiskFailure {
  readonly at: number;
  readonly how: string;
}

/** A process as the disk sees it. */
export interface DiskUser {
  readonly disk: Disk;
  /** Resolves when the process has died of its failure; its calls never return from then on. */
  readonly dead: Promise<void>;
  /** Ends the process between two calls. */
  kill(): void;
}

/** Files in memory, of which a power loss keeps what was synced, and of the rest any part. */
export interface SimulatedDisk {
  user(failure?: DiskFailure | null): DiskUser;
  /** All users are dead, and of what was not synced any part may be gone, each for itself. */
  losePower(): void;
}

/** `chance` gives numbers from 0 upward; it decides whose turn it is, and what is lost. */
export function simulatedDisk(chance: () => number): SimulatedDisk {
  const files = new SimulatedFiles(chance);
  const users: DiskUser[] = [];
  return {
    user: (failure = null) => {
      const made = diskUser(files, chance, failure);
      users.push(made);
      return made;
    },
    losePower: () => {
      for (const each of users.splice(0)) each.kill();
      files.losePower();
    },
  };
}

function diskUser(
  files: SimulatedFiles,
  chance: () => number,
  failure: DiskFailure | null,
): DiskUser {
  let calls = 0;
  let alive = true;
  let die: () => void = () => undefined;
  const dead = new Promise<void>((resolve) => {
    die = () => {
      alive = false;
      resolve();
    };
  });

  /** `part` is what may have happened when the call is cut off in the middle. */
  const call = async <T>(whole: () => T, part: () => unknown = () => undefined): Promise<T> => {
    for (let turns = chance() % 4; turns > 0; turns -= 1) await Promise.resolve();
    if (!alive) return never();
    calls += 1;
    if (failure?.at !== calls) return whole();
    try {
      [() => undefined, part, whole][chance() % 3]?.();
    } catch {
      // It could not have been done anyway.
    }
    if (failure.how !== "die") {
      throw Object.assign(new Error(`${failure.how}: refused`), { code: failure.how });
    }
    die();
    return never();
  };

  return {
    dead,
    kill: die,
    disk: {
      read: (at) => call(() => files.read(at)),
      names: (at) => call(() => files.names(at)),
      entry: (at) =>
        call(() => {
          const kind = files.kind(at);
          const stamp = files.stamp(at);
          return kind === null ? null : { kind, owner: 0, modifiedAt: new Date(0), stamp };
        }),
      realPath: (at) => call(() => (files.kind(at) === null ? null : at)),
      makeFolder: (at) =>
        call(
          () => files.makeFolders(at),
          () => files.makeFolders(at, 1),
        ),
      write: (at, data) =>
        call(
          () => {
            files.write(at, Buffer.from(data));
            files.syncFile(at);
          },
          () => {
            files.write(at, Buffer.from(data).subarray(0, chance() % (data.length + 1)));
          },
        ),
      link: (at, name) =>
        call(() => {
          files.link(at, name);
        }),
      rename: (from, to) =>
        call(() => {
          files.rename(from, to);
        }),
      remove: (at) =>
        call(() => {
          files.remove(at);
        }),
      removeTree: (at) =>
        call(
          () => {
            files.removeTree(at, () => true);
          },
          () => {
            files.removeTree(at, () => chance() % 2 === 0);
          },
        ),
      removeEmptyFolder: (at) =>
        call(() => {
          if (files.kind(at) === "folder" && files.names(at).length === 0) files.remove(at);
        }),
      syncFolder: (at) =>
        call(() => {
          files.syncFolder(at);
        }),
    },
  };
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
