import { constants } from "node:fs";
import { chmod, copyFile, type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { sizeOf } from "./transcript-place.ts";

/** Port for copying and restoring files. */
export interface IncrementalCopies {
  readonly keep: typeof copyIncrementally;
  readonly putBack: typeof restoreFile;
}

export const incrementalCopies: IncrementalCopies = {
  keep: copyIncrementally,
  putBack: restoreFile,
};

/**
 * Updates `copy` from `original`, which normally grows: copies only the new bytes, or the whole file if it was rewritten.
 * An original that is missing, empty or shorter does not change the copy: the client only appends. The copy has mode
 * 0600, and at any time it is a prefix of the original or the old copy.
 */
export async function copyIncrementally(original: string, copy: string): Promise<void> {
  const [size, kept] = [await sizeOf(original), await sizeOf(copy)];
  if (size === null || size === 0 || size <= (kept ?? 0)) return;
  if (kept === null || kept === 0 || !(await endsAlike(original, copy, kept))) {
    await copyWhole(original, copy);
  } else {
    await copyTail(original, copy, kept, size);
  }
}

/**
 * Restores an original that is missing or was truncated from its copy. A longer or rewritten original is kept. Returns
 * whether it was restored.
 */
export async function restoreFile(copy: string, original: string): Promise<boolean> {
  const [kept, size] = [await sizeOf(copy), await sizeOf(original)];
  if (kept === null || (size !== null && size >= kept)) return false;
  if (size !== null && !(await isPrefix(original, copy, size))) return false;
  await copyWhole(copy, original);
  return true;
}

async function copyWhole(from: string, to: string): Promise<void> {
  const parts = `${to}.new`;
  await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
  try {
    await copyFile(from, parts, constants.COPYFILE_FICLONE);
    await chmod(parts, 0o600);
    await rename(parts, to);
  } catch (error) {
    await rm(parts, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** All of it or nothing: the size of a copy marks the start of a call that could not be saved. */
async function copyTail(from: string, to: string, start: number, end: number): Promise<void> {
  await using(from, "r", (source) =>
    using(to, "a", async (target) => {
      try {
        for (let at = start; at < end; ) {
          const part = await readAt(source, at, Math.min(BLOCK, end - at));
          if (part.length === 0) return;
          await target.appendFile(part);
          at += part.length;
        }
      } catch (error) {
        await target.truncate(start);
        throw error;
      }
    }),
  );
}

/** Compares the last bytes before `length`, to detect a torn copy or a rewritten original. */
function endsAlike(one: string, other: string, length: number): Promise<boolean> {
  return alike(one, other, Math.max(0, length - SAMPLE), length);
}

/** Whether the first `length` bytes of both files are equal. */
export function isPrefix(short: string, long: string, length: number): Promise<boolean> {
  return alike(short, long, 0, length);
}

async function alike(one: string, other: string, start: number, end: number): Promise<boolean> {
  return using(one, "r", (a) =>
    using(other, "r", async (b) => {
      for (let at = start; at < end; at += BLOCK) {
        const length = Math.min(BLOCK, end - at);
        const [left, right] = [await readAt(a, at, length), await readAt(b, at, length)];
        if (!left.equals(right)) return false;
      }
      return true;
    }),
  );
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

async function using<T>(
  file: string,
  flags: "r" | "a",
  work: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  const handle = await open(file, flags, 0o600);
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

const BLOCK = 1024 * 1024;
const SAMPLE = 4 * 1024;
