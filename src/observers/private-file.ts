import * as fs from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { errorCode } from "../core/error-code.ts";

/*
 * Files of logs and of debugging, private to their owner (0600, their folders
 * 0700). A short write to a file that is open is made at once: it goes to the
 * system's memory, and the way through the thread pool costs more than the
 * call. To make a file takes that way, for a journal that is being committed
 * holds it up.
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

/** Adds bytes to a file that is open. Rejects with errors of `node:fs`. */
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
/** What the system's memory takes in some ten microseconds, bytes. */
const SHORT = 64 * 1024;

/** The folder stands at all times but the first. */
async function openOrMake(path: string, flags: "a" | "w"): Promise<number> {
  try {
    return await open(path, flags, 0o600);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    await makeFolder(dirname(path), { recursive: true, mode: 0o700 });
    return open(path, flags, 0o600);
  }
}
