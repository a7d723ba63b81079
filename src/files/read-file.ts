import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { formatBytes } from "../language/basics/bytes.ts";

/*
 * Reads files that other users or programs may have written. A path can refer to an endless device,
 * to a pipe without a writer, or to a file larger than memory. So the open does not block, the file
 * must be a regular one, and at most the limit is read, also of a growing file.
 */

/** Limits, in bytes. */
export const LIMITS = {
  /** config.toml, accounts, control requests, records of processes. */
  small: 2 ** 20,
  /** A state, a simulation, a file of tests. */
  source: 16 * 2 ** 20,
  /** A state file, a payload, a lock. */
  state: 256 * 2 ** 20,
  /** Logs, journals and debug files: as much as a string can hold. */
  log: 2 ** 29 - 2 ** 20,
} as const;

/** A file that was not read. Has a code like errors of `node:fs`. */
export class UnreadableFileError extends Error {
  override readonly name = "UnfitFileError";
  readonly code: "EFTYPE" | "EFBIG";

  constructor(code: "EFTYPE" | "EFBIG", path: string, problem: string) {
    super(`${path} ${problem}`);
    this.code = code;
  }
}

/** The bytes of a regular file. Throws an {@link UnreadableFileError}, or an error of `node:fs`. */
export function readRegularFileSync(path: string, most: number): Buffer {
  const file = openRegularFile(path);
  try {
    const { size } = fstatSync(file);
    refuseLarger(path, size, most);
    const chunks: Buffer[] = [];
    let total = 0;
    for (let free = Buffer.allocUnsafe(size + 1); ; ) {
      const bytes = readSync(file, free, 0, free.length, null);
      if (bytes === 0) return joined(chunks);
      total += bytes;
      refuseLarger(path, total, most);
      chunks.push(free.subarray(0, bytes));
      free = bytes < free.length ? free.subarray(bytes) : Buffer.allocUnsafe(CHUNK);
    }
  } finally {
    closeSync(file);
  }
}

/** The asynchronous version. */
export async function readRegularFile(path: string, most: number): Promise<Buffer> {
  const file = await open(path, READ);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw notRegular(path);
    refuseLarger(path, found.size, most);
    return await readToEnd(file, path, found.size, most);
  } finally {
    await file.close();
  }
}

/**
 * A hash of the content of a regular file, also of one that is too large to read at once. Above {@link LIMITS.log}, the
 * hash is of its inode and times: each write changes it, and hashing the content could take hours.
 */
export function hashOfRegularFile(path: string): string {
  const file = openRegularFile(path);
  try {
    const hash = createHash("sha256");
    const { size, ino, mtimeNs, ctimeNs } = fstatSync(file, { bigint: true });
    if (size > LIMITS.log) return hash.update([size, ino, mtimeNs, ctimeNs].join()).digest("hex");
    const chunk = Buffer.allocUnsafe(CHUNK);
    for (let left = LIMITS.log; left > 0; ) {
      const bytes = readSync(file, chunk, 0, chunk.length, null);
      if (bytes === 0) break;
      hash.update(chunk.subarray(0, bytes));
      left -= bytes;
    }
    return hash.digest("hex");
  } finally {
    closeSync(file);
  }
}

/** The text of a regular file in UTF-8. */
export async function readTextFile(path: string, most: number): Promise<string> {
  return (await readRegularFile(path, most)).toString("utf8");
}

/** A descriptor of a regular file, open for reading. */
export function openRegularFile(path: string): number {
  const file = openSync(path, READ);
  try {
    if (!fstatSync(file).isFile()) throw notRegular(path);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** On Windows O_NONBLOCK is undefined, which counts as 0 here. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK;
const CHUNK = 2 ** 16;

async function readToEnd(
  file: FileHandle,
  path: string,
  size: number,
  most: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  for (let chunk = Buffer.allocUnsafe(size + 1); ; chunk = Buffer.allocUnsafe(CHUNK)) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) return joined(chunks);
    total += bytesRead;
    refuseLarger(path, total, most);
    chunks.push(chunk.subarray(0, bytesRead));
  }
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [only, second] = chunks;
  return only !== undefined && second === undefined ? only : Buffer.concat(chunks);
}

function notRegular(path: string): UnreadableFileError {
  return new UnreadableFileError("EFTYPE", path, "is not a regular file");
}

function refuseLarger(path: string, size: number, most: number): void {
  if (size <= most) return;
  throw new UnreadableFileError("EFBIG", path, `is larger than ${formatBytes(most)}`);
}
