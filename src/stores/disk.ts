import * as fs from "node:fs";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { errorCode } from "../core/error-code.ts";
import { LIMITS, readFileAtOnce } from "../files/read-file.ts";
import { makeFolders } from "./make-folders.ts";

/** What is at a path, links followed. */
export interface DiskEntry {
  readonly kind: "file" | "folder" | "other";
  /** Id of the owner; 0 on Windows. Of a link, whoever made the link. */
  readonly owner: number;
  readonly modifiedAt: Date;
  /** Another one where the file was replaced or written anew since. */
  readonly stamp: string;
}

/**
 * All that the stores do to a disk, one call each, so that a test can let the
 * Nth of them fail. Errors are those of `node:fs`, with their `code`. What is
 * made here is for the owner only: files 0600, folders 0700.
 */
export interface Disk {
  read(path: string): Promise<Buffer>;
  /** Names in a folder; none when there is no such folder. */
  names(folder: string): Promise<readonly string[]>;
  /** Null when nothing is there. */
  entry(path: string): Promise<DiskEntry | null>;
  /** Null when nothing is there. */
  realPath(path: string): Promise<string | null>;
  /** Makes the folder and those above it; the topmost that was made, or null when all stood. */
  makeFolder(path: string): Promise<string | null>;
  /** Makes a file that must not exist yet. When it resolves the bytes survive a power loss. */
  write(path: string, data: string): Promise<void>;
  /** Gives a file a second name, which must not exist yet. */
  link(path: string, name: string): Promise<void>;
  /** Moves a file over another, which is never missing meanwhile. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file; nothing happens when it is not there. */
  remove(path: string): Promise<void>;
  /** Removes a file, or a folder with all that is in it. */
  removeTree(path: string): Promise<void>;
  /** Removes a folder, if it is empty. */
  removeEmptyFolder(path: string): Promise<void>;
  /** When it resolves, the names in this folder survive a power loss (not on Windows). */
  syncFolder(path: string): Promise<void>;
}

const fsync = promisify(fs.fsync);
const link = promisify(fs.link);
const rename = promisify(fs.rename);
const rm = promisify(fs.rm);
const rmdir = promisify(fs.rmdir);
const unlink = promisify(fs.unlink);
const NOTHING_THERE = ["ENOENT", "ENOTDIR"];

/**
 * The disk of this machine. Short calls, and reading, are made at once, and only what
 * may wait for the device leaves the thread: at a fraction of a millisecond for an
 * fsync, the way through the thread pool would cost more than the call.
 */
export function nodeDisk(windows: boolean = process.platform === "win32"): Disk {
  const patiently = <T>(act: () => Promise<T>) => (windows ? whileBusy(act) : act());
  return {
    read: (path) => patiently(async () => Promise.resolve(readFileAtOnce(path, LIMITS.state))),
    names: (folder) => atOnce(() => fs.readdirSync(folder), []),
    entry: (path) => atOnce(() => entryAt(path), null),
    realPath: (path) => atOnce(() => fs.realpathSync.native(path), null),
    makeFolder: (path) => makeFolders(resolve(path), 0o700),
    write: async (path, data) => {
      const file = fs.openSync(path, "wx", 0o600);
      try {
        writeText(file, data);
        await fsync(file);
      } finally {
        fs.closeSync(file);
      }
    },
    link,
    rename: async (from, to) => {
      if (windows) await patiently(() => rename(from, to));
      else fs.renameSync(from, to);
    },
    remove: (path) => patiently(() => unlink(path)).catch(instead(NOTHING_THERE, undefined)),
    removeTree: (path) =>
      patiently(() => rm(path, { recursive: true, force: true, maxRetries: 3 })),
    removeEmptyFolder: (path) =>
      patiently(() => rmdir(path)).catch(
        instead([...NOTHING_THERE, "ENOTEMPTY", "EEXIST"], undefined),
      ),
    syncFolder: async (path) => {
      if (windows) return;
      const folder = fs.openSync(path, "r");
      try {
        // Some network file systems cannot do this, and say so.
        await fsync(folder).catch(instead(["EINVAL", "ENOTSUP"], undefined));
      } finally {
        fs.closeSync(folder);
      }
    },
  };
}

/** The bytes of one save after the other: of a large run's, a new one each time would be most of its memory. */
let bytes = Buffer.alloc(0);

function writeText(file: number, text: string): void {
  const length = Buffer.byteLength(text);
  if (length > MOST_KEPT_BYTES) {
    fs.writeFileSync(file, text);
    return;
  }
  if (bytes.length < length) bytes = Buffer.allocUnsafeSlow(Math.min(2 * length, MOST_KEPT_BYTES));
  bytes.write(text);
  for (let at = 0; at < length; ) at += fs.writeSync(file, bytes, at, length - at);
}

const MOST_KEPT_BYTES = 2 ** 22;

/** Asked before each save, for the lock and the revision. Throws where nothing is there. */
function entryAt(path: string): DiskEntry {
  const found = fs.statSync(path);
  const kind = found.isFile() ? "file" : found.isDirectory() ? "folder" : "other";
  const stamp = [found.ino, found.size, found.mtimeMs].join(".");
  return { kind, owner: fs.lstatSync(path).uid, modifiedAt: found.mtime, stamp };
}

/**
 * What an act that does not wait returns, or `otherwise` where nothing is there. Not by way of a promise that is
 * rejected first: Node takes note of each, and that takes longer than the act.
 */
async function atOnce<T, Otherwise>(act: () => T, otherwise: Otherwise): Promise<T | Otherwise> {
  try {
    return await Promise.resolve(act());
  } catch (error) {
    return instead(NOTHING_THERE, otherwise)(error);
  }
}

function instead<T>(codes: readonly string[], value: T): (error: unknown) => T {
  return (error) => {
    if (codes.includes(errorCode(error) ?? "")) return value;
    throw error;
  };
}

/**
 * On Windows a file that a virus scanner, an editor or a backup has open cannot
 * be replaced, removed or read, for some milliseconds.
 */
export async function whileBusy<T>(act: () => Promise<T>): Promise<T> {
  const start = performance.now();
  for (;;) {
    try {
      return await act();
    } catch (error) {
      const late = performance.now() - start > PATIENCE_MS;
      if (late || !BUSY.includes(errorCode(error) ?? "")) throw error;
      await delay(POLL_MS);
    }
  }
}

const BUSY: readonly string[] = ["EPERM", "EACCES", "EBUSY"];
const PATIENCE_MS = 2_000;
const POLL_MS = 20;
