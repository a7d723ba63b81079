import type { Disk } from "../../../src/storage/disk.ts";
import { SimulatedFiles } from "./simulated-files.ts";
import { wholeText } from "./whole-text.ts";

/** A fault at the `at`th call (from 1) of a process: it dies, or the call fails with this code. */
export interface DiskFailure {
  readonly at: number;
  readonly how: string;
}

/** A process that uses the disk. */
export interface DiskUser {
  readonly disk: Disk;
  /** Resolves when the fault has killed the process. Its later calls never return. */
  readonly dead: Promise<void>;
  /** Kills the process between two calls. */
  kill(): void;
}

/** In-memory files. A power loss keeps synced data and any part of the rest. */
export interface SimulatedDisk {
  user(failure?: DiskFailure | null): DiskUser;
  /** Kills all processes and loses any part of the unsynced data. */
  losePower(): void;
}

/** `chance` returns non-negative integers that choose the next process and the lost data. */
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

  /** `part`: the possible effect of an interrupted call. */
  const call = async <T>(whole: () => T, part: () => unknown = () => undefined): Promise<T> => {
    for (let turns = chance() % 4; turns > 0; turns -= 1) await Promise.resolve();
    if (!alive) return never();
    calls += 1;
    if (failure?.at !== calls) return whole();
    try {
      [() => undefined, part, whole][chance() % 3]?.();
    } catch {
      // The call would have failed anyway.
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
            files.write(at, Buffer.from(wholeText(data)));
            files.syncFile(at);
          },
          () => {
            const text = wholeText(data);
            files.write(at, Buffer.from(text).subarray(0, chance() % (text.length + 1)));
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
