import { constants } from "node:fs";
import { chmod, copyFile, type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Redaction } from "../../../engine/ports/redaction.ts";
import { sizeOf } from "./conversation-files.ts";

/** Replaces bytes of a file by as many others; null: none. */
export type Mask = Redaction["mask"] | null;

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
 * 0600, and at any time it is a prefix of the original or the old copy. `mask` applies to all bytes of the copy.
 */
export async function copyIncrementally(
  original: string,
  copy: string,
  mask: Mask = null,
): Promise<void> {
  const [size, kept] = [await sizeOf(original), await sizeOf(copy)];
  if (size === null || size === 0 || size <= (kept ?? 0)) return;
  if (kept === null || kept === 0 || !(await endsAlike(original, copy, kept, mask))) {
    await copyWhole(original, copy, mask);
  } else {
    await copyTail(original, copy, kept, size, mask);
  }
}

/**
 * Restores an original that is missing or was truncated from its copy. A longer or rewritten original is kept. Returns
 * whether it was restored.
 */
export async function restoreFile(
  copy: string,
  original: string,
  mask: Mask = null,
): Promise<boolean> {
  const [kept, size] = [await sizeOf(copy), await sizeOf(original)];
  if (kept === null || (size !== null && size >= kept)) return false;
  if (size !== null && !(await isPrefix(original, copy, size, mask))) return false;
  await copyWhole(copy, original);
  return true;
}

async function copyWhole(from: string, to: string, mask: Mask = null): Promise<void> {
  const parts = `${to}.new`;
  await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
  try {
    if (mask === null) {
      await copyFile(from, parts, constants.COPYFILE_FICLONE);
      await chmod(parts, 0o600);
    } else {
      await copyTail(from, parts, 0, (await sizeOf(from)) ?? 0, mask);
    }
    await rename(parts, to);
  } catch (error) {
    await rm(parts, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** All of it or nothing: the size of a copy marks the start of a call that could not be saved. */
async function copyTail(
  from: string,
  to: string,
  start: number,
  end: number,
  mask: Mask,
): Promise<void> {
  await using(from, "r", (source) =>
    using(to, "a", async (target) => {
      try {
        for await (const part of partsOf(source, start, end, mask)) await target.appendFile(part);
      } catch (error) {
        await target.truncate(start);
        throw error;
      }
    }),
  );
}

/** The bytes of a part of a file, with `mask`. Ends early if the file does. */
async function* partsOf(file: FileHandle, start: number, end: number, mask: Mask) {
  const written: Buffer[] = [];
  const masked = mask?.((chunk) => written.push(chunk));
  for (let at = start; at < end; ) {
    const part = await readAt(file, at, Math.min(BLOCK, end - at));
    if (part.length === 0) break;
    at += part.length;
    if (masked === undefined) yield part;
    else masked.push(part);
    yield* written.splice(0);
  }
  masked?.end();
  yield* written;
}

/** Compares the last bytes before `length`, to detect a torn copy or a rewritten original. */
function endsAlike(one: string, other: string, length: number, mask: Mask): Promise<boolean> {
  return alike(one, other, Math.max(0, length - SAMPLE), length, mask);
}

/** Whether the first `length` bytes of both files are equal, those of `short` with `mask`. */
export function isPrefix(
  short: string,
  long: string,
  length: number,
  mask: Mask = null,
): Promise<boolean> {
  return alike(short, long, 0, length, mask);
}

async function alike(
  one: string,
  other: string,
  start: number,
  end: number,
  mask: Mask,
): Promise<boolean> {
  return using(one, "r", (a) =>
    using(other, "r", async (b) => {
      let at = start;
      for await (const left of partsOf(a, start, end, mask)) {
        if (!left.equals(await readAt(b, at, left.length))) return false;
        at += left.length;
      }
      return at === end;
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
