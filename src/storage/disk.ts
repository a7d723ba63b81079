import { randomUUID } from "node:crypto";
import * as fs from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import path, { dirname, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { LIMITS, readRegularFileSync } from "../files/read-file.ts";
import { errorCode } from "../language/basics/error-code.ts";

/** An existing path, links followed. */
export interface DiskEntry {
  readonly kind: "file" | "folder" | "other";
  /** User id of the owner, of a link that of the link itself; 0 on Windows. */
  readonly owner: number;
  readonly modifiedAt: Date;
  /** Changes when the file is replaced or written. */
  readonly stamp: string;
}

/** A text, or its parts. */
export type FileText = string | readonly string[];

/**
 * All disk operations of the stores, so that a test can make the Nth one fail. Errors are those of `node:fs`, with their
 * `code`. New files have mode 0600, new folders 0700.
 */
export interface Disk {
  read(path: string): Promise<Buffer>;
  /** Names in a folder; empty if it does not exist. */
  names(folder: string): Promise<readonly string[]>;
  /** Null if the path does not exist. */
  entry(path: string): Promise<DiskEntry | null>;
  /** Null if the path does not exist. */
  realPath(path: string): Promise<string | null>;
  /** Creates the folder with its parents. Returns the topmost new one, or null if all existed. */
  makeFolder(path: string): Promise<string | null>;
  /**
   * Creates a file that must not exist. When it resolves, the bytes survive a power loss. `alone`: this process has no
   * other work meanwhile, so a short call may block it.
   */
  write(path: string, data: FileText, alone?: boolean): Promise<void>;
  /** Hard link. `name` must not exist. */
  link(path: string, name: string): Promise<void>;
  /** Replaces `to` atomically. */
  rename(from: string, to: string): Promise<void>;
  /** Deletes a file, if it exists. */
  remove(path: string): Promise<void>;
  /** Deletes a file, or a folder with its content. */
  removeTree(path: string): Promise<void>;
  /** Deletes a folder, if it is empty. */
  removeEmptyFolder(path: string): Promise<void>;
  /** Fsyncs a folder, so that the names in it survive a power loss (not on Windows). `alone` as in {@link Disk.write}. */
  syncFolder(path: string, alone?: boolean): Promise<void>;
}

const fsync = promisify(fs.fsync);
const link = promisify(fs.link);
const rename = promisify(fs.rename);
const rm = promisify(fs.rm);
const rmdir = promisify(fs.rmdir);
const unlink = promisify(fs.unlink);
const NOT_FOUND = ["ENOENT", "ENOTDIR"];

/**
 * The local disk. Short calls and reads are synchronous, and only calls that may wait for the device are not: the way
 * through the thread pool costs more than a short call.
 */
export function nodeDisk(windows: boolean = process.platform === "win32"): Disk {
  const retryIfBusy = <T>(act: () => Promise<T>) => (windows ? whileBusy(act) : act());
  return {
    read: (path) =>
      retryIfBusy(async () => Promise.resolve(readRegularFileSync(path, LIMITS.state))),
    names: (folder) => synchronously(() => fs.readdirSync(folder), []),
    entry: (path) => synchronously(() => entryAt(path), null),
    realPath: (path) => synchronously(() => fs.realpathSync.native(path), null),
    makeFolder: (path) => makeFolders(resolve(path), 0o700),
    write: async (path, data, alone) => {
      const file = fs.openSync(path, "wx", 0o600);
      try {
        writeParts(file, typeof data === "string" ? [data] : data);
        await sync(file, alone);
      } finally {
        fs.closeSync(file);
      }
    },
    link,
    rename: async (from, to) => {
      if (windows) await retryIfBusy(() => rename(from, to));
      else fs.renameSync(from, to);
    },
    remove: (path) => retryIfBusy(() => unlink(path)).catch(instead(NOT_FOUND, undefined)),
    removeTree: (path) =>
      retryIfBusy(() => rm(path, { recursive: true, force: true, maxRetries: 3 })),
    removeEmptyFolder: (path) =>
      retryIfBusy(() => rmdir(path)).catch(
        instead([...NOT_FOUND, "ENOTEMPTY", "EEXIST"], undefined),
      ),
    syncFolder: async (path, alone) => {
      if (windows) return;
      const folder = fs.openSync(path, "r");
      try {
        // Some network file systems do not support this.
        await sync(folder, alone).catch(instead(["EINVAL", "ENOTSUP"], undefined));
      } finally {
        fs.closeSync(folder);
      }
    },
  };
}

/** Duration of the last fsync, ms. */
let lastSyncMs = 0;

/** The way through the thread pool costs more processor time than the fsync of a fast device. */
async function sync(file: number, alone = false): Promise<void> {
  const start = performance.now();
  if (alone && lastSyncMs < FAST_SYNC_MS) fs.fsyncSync(file);
  else await fsync(file);
  lastSyncMs = performance.now() - start;
}

const FAST_SYNC_MS = 2;

/** Reused by all saves: a buffer for each save of a large run would be most of its memory. */
let buffer = Buffer.alloc(0);

function writeParts(file: number, parts: readonly string[]): void {
  if (buffer.length === 0) buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  let used = 0;
  for (const part of parts) {
    if (used + part.length * MAX_UNIT_BYTES > BUFFER_BYTES) {
      writeAll(file, buffer.subarray(0, used));
      used = 0;
    }
    if (part.length * MAX_UNIT_BYTES > BUFFER_BYTES) writeAll(file, Buffer.from(part));
    else used += buffer.write(part, used);
  }
  writeAll(file, buffer.subarray(0, used));
}

function writeAll(file: number, data: Buffer): void {
  for (let at = 0; at < data.length; ) at += fs.writeSync(file, data, at, data.length - at);
}

const BUFFER_BYTES = 2 ** 18;

/** Of a UTF-16 code unit in UTF-8. */
const MAX_UNIT_BYTES = 3;

/** Throws if the path does not exist. */
function entryAt(path: string): DiskEntry {
  const found = fs.statSync(path);
  return {
    kind: found.isFile() ? "file" : found.isDirectory() ? "folder" : "other",
    // Each save needs several entries, but no owner.
    get owner() {
      return (fs.lstatSync(path, { throwIfNoEntry: false }) ?? found).uid;
    },
    modifiedAt: found.mtime,
    stamp: [found.ino, found.size, found.mtimeMs].join("."),
  };
}

/**
 * The result of a synchronous call, or `otherwise` if the path does not exist. It does not create a rejected promise
 * first: Node tracks those, which takes longer than the call.
 */
async function synchronously<T, Otherwise>(
  act: () => T,
  otherwise: Otherwise,
): Promise<T | Otherwise> {
  try {
    return await Promise.resolve(act());
  } catch (error) {
    return instead(NOT_FOUND, otherwise)(error);
  }
}

function instead<T>(codes: readonly string[], value: T): (error: unknown) => T {
  return (error) => {
    if (codes.includes(errorCode(error) ?? "")) return value;
    throw error;
  };
}

/** On Windows a file that a virus scanner, an editor or a backup has open cannot be replaced, deleted or read. */
export async function whileBusy<T>(act: () => Promise<T>): Promise<T> {
  const start = performance.now();
  for (;;) {
    try {
      return await act();
    } catch (error) {
      const expired = performance.now() - start > BUSY_TIMEOUT_MS;
      if (expired || !BUSY.includes(errorCode(error) ?? "")) throw error;
      await delay(POLL_MS);
    }
  }
}

const BUSY: readonly string[] = ["EPERM", "EACCES", "EBUSY"];
const BUSY_TIMEOUT_MS = 2_000;
const POLL_MS = 20;

/**
 * Creates a folder with its missing parents. Returns the first new one, or null. Node's `recursive` option loops forever
 * on file systems that always answer ENOENT, such as /proc.
 */
export async function makeFolders(path: string, mode?: number): Promise<string | null> {
  const made = await makeOne(path, mode);
  if (made !== "parent missing") return made === "made" ? path : null;
  const parent = dirname(path);
  const first = parent === path ? null : await makeFolders(parent, mode);
  // Another process that makes the same folders may be faster.
  const second = await makeOne(path, mode);
  if (second === "parent missing") {
    throw Object.assign(new Error(`ENOENT: mkdir '${path}'`), { code: "ENOENT" });
  }
  return first ?? (second === "made" ? path : null);
}

async function makeOne(
  path: string,
  mode: number | undefined,
): Promise<"made" | "there" | "parent missing"> {
  try {
    await mkdir(path, { mode });
    return "made";
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") return "parent missing";
    if (code === "EEXIST" && (await stat(path)).isDirectory()) return "there";
    throw error;
  }
}

/**
 * Creates or replaces a file atomically. Its bytes survive a power loss, its name after an fsync of the folder.
 * `confirm` is called before the rename with the temporary file; if it rejects, nothing changes. `alone` as in
 * {@link Disk.write}.
 */
export async function writeAtomically(
  disk: Disk,
  file: string,
  text: FileText,
  confirm: (written: string) => Promise<void> = () => Promise.resolve(),
  alone = false,
): Promise<void> {
  const temporary = path.join(
    path.dirname(file),
    `.${path.basename(file)}.${randomUUID().slice(0, 8)}.tmp`,
  );
  try {
    await disk.write(temporary, text, alone);
    await confirm(temporary);
    await disk.rename(temporary, file);
  } catch (error) {
    // The disk may be full.
    await disk.remove(temporary).catch(() => undefined);
    throw error;
  }
}
