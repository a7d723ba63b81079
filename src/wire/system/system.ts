import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  type IncrementalCopies,
  incrementalCopies,
} from "../../clients/common/conversations/incremental-copy.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Folders } from "../../engine/ports/folders.ts";
import type { Ids } from "../../engine/ports/ids.ts";
import type { ProcessHost, UnixUser } from "../../engine/ports/process.ts";
import type { Platform } from "../../language/workflow/files/platform.ts";
import type { Actor } from "../../machine/model/actor.ts";
import { processHost } from "../../process/platform/host.ts";
import { withTarget } from "../../scopes/protected-paths.ts";
import { type Disk, nodeDisk } from "../../storage/disk.ts";

/** Files, processes and clock. Tests replace them to inject faults. */
export interface System {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly processes: ProcessHost;
  /** The user that steps run as; absent: that of raymond. */
  readonly stepUser?: UnixUser;
  readonly kept: IncrementalCopies;
}

/** A process on this machine. */
export interface LocalCaller {
  /** Absolute, links resolved: the launch folder. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  /** The person who gives the commands of this process: the only source of actors. */
  readonly actor: () => Actor;
  /** Loaded on first use: commands that only read runs start nothing. */
  readonly system: () => Promise<System>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => Math.round(process.uptime() * 1000),
  sleep: async (ms, signal) => {
    // Aborting is the normal way to end a sleep early.
    await delay(ms, undefined, { signal }).catch(() => undefined);
  },
};

export const systemIds: Ids = { session: () => randomUUID() };

export const thisSystem: System = {
  disk: nodeDisk(),
  clock: systemClock,
  processes: processHost(),
  kept: incrementalCopies,
};

export const systemFolders: Folders = {
  find: (base, name) => {
    if (name === "" || name.includes("\0")) return Promise.resolve(null);
    const folder = path.resolve(base, name);
    return Promise.resolve(isFolder(folder) ? folder : null);
  },
  withTarget: (place) => withTarget(place.replace(/^~(?=\/|$)/, () => homedir())),
};

/** For runs that start nothing: every folder exists, and no path is a link. */
export const anyFolder: Folders = {
  find: (base, name) => Promise.resolve(path.resolve(base, name)),
  withTarget: (place) => [place],
};

/** Synchronous: it is called before every step, and the thread pool is slower. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Marks the processes of a run. Random, because it must be secret. */
export function newToken(): string {
  return randomBytes(16).toString("hex");
}

export function systemPlatform(): Platform {
  return process.platform === "win32" ? "windows" : "unix";
}

/** A random integer in [0, n). */
export function randomBelow(n: number): number {
  return randomInt(n);
}
