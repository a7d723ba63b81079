import * as fs from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { errorCode } from "../language/basics/error-code.ts";

/*
 * Log and debug files (mode 0600, folders 0700). Short writes to open files are synchronous: they go to the page cache,
 * and the thread pool costs more than the call. Files are created synchronously unless that was slow in the last second: a
 * commit of the file system's journal can block the call.
 */

/** Opens a file for appending, with the folders above it. Rejects with errors of `node:fs`. */
export function openPrivate(path: string): Promise<number> {
  return openOrMake(path, "a");
}

/** Writes a whole file, with the folders above it. Rejects with errors of `node:fs`. */
export async function writePrivate(path: string, text: string): Promise<void> {
  const file = await openOrMake(path, "w");
  try {
    await appendTo(file, Buffer.from(text));
  } finally {
    fs.closeSync(file);
  }
}

/** Appends bytes to an open file. Rejects with errors of `node:fs`. */
export async function appendTo(file: number, data: Uint8Array): Promise<void> {
  for (let done = 0; done < data.length; ) {
    const left = data.length - done;
    done +=
      left <= SHORT
        ? fs.writeSync(file, data, done, left)
        : (await write(file, data, done, left, null)).bytesWritten;
  }
}

const open = promisify(fs.open);
const makeFolder = promisify(fs.mkdir);
const write = promisify(fs.write);
/** Limit of a synchronous write, bytes: about 10 µs. */
const SHORT = 64 * 1024;

/** The folder usually exists. */
async function openOrMake(path: string, flags: "a" | "w"): Promise<number> {
  try {
    return performance.now() < slowUntil ? await open(path, flags, 0o600) : openTimed(path, flags);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    await makeFolder(dirname(path), { recursive: true, mode: 0o700 });
    return open(path, flags, 0o600);
  }
}

function openTimed(path: string, flags: "a" | "w"): number {
  const start = performance.now();
  const file = fs.openSync(path, flags, 0o600);
  const end = performance.now();
  if (end - start > SLOW_MS) slowUntil = end + PAUSE_MS;
  return file;
}

/** Until then files are created asynchronously. */
let slowUntil = 0;
const SLOW_MS = 1;
const PAUSE_MS = 1_000;
