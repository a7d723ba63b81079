import { constants } from "node:fs";
import { chmod, copyFile, type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { sizeOf } from "./transcript-place.ts";

/** How copies are made and put back, as a port. */
export interface IncrementalCopies {
  readonly keep: typeof copyIncrementally;
  readonly putBack: typeof putBackFile;
}

/** This machine's. */
export const incrementalCopies: IncrementalCopies = {
  keep: copyIncrementally,
  putBack: putBackFile,
};

/**
 * Brings `copy` up to date with `original`, which mostly grows: only what is
 * new is copied, and a file that was rewritten is copied whole. An original
 * that is gone, empty or shorter leaves the copy as it is: the client only adds to a file. The copy is private to its
 * owner, and at each moment a beginning of the original or the old copy.
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
 * Puts a copy back where its original is gone, or has lost its end; one that
 * is longer, or was rewritten, is the better one and stays. Returns whether
 * anything was put back.
 */
export async function putBackFile(copy: string, original: string): Promise<boolean> {
  const [kept, size] = [await sizeOf(copy), await sizeOf(original)];
  if (kept === null || (size !== null && size >= kept)) return false;
  if (size !== null && !(await isBeginning(original, copy, size))) return false;
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

async function copyTail(from: string, to: string, start: number, end: number): Promise<void> {
  await using(from, "r", (source) =>
    using(to, "a", async (target) => {
      for (let at = start; at < end; ) {
        const part = await readAt(source, at, Math.min(BLOCK, end - at));
        if (part.length === 0) return;
        await target.appendFile(part);
        at += part.length;
      }
    }),
  );
}

/** Whether the last bytes before `length` are the same: a copy that a crash has torn, or that is of another text, is not. */
function endsAlike(one: string, other: string, length: number): Promise<boolean> {
  return alike(one, other, Math.max(0, length - SAMPLE), length);
}

/** Whether a file is the first bytes of another, so many. */
export function isBeginning(short: string, long: string, length: number): Promise<boolean> {
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
