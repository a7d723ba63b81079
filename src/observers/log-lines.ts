import { closeSync, fstatSync, readSync } from "node:fs";
import { errorCode } from "../core/error-code.ts";
import { openRegularFile } from "../files/read-file.ts";

/** A line of a log, and the byte at which it begins. */
export interface LogLine {
  readonly start: number;
  readonly text: string;
}

/**
 * The lines of a log from its end, read block by block: so much of it is read as is
 * asked for. The first one is what stands behind the last line end: empty, or a line
 * that is torn or still being written. Throws errors of `node:fs`.
 */
export function* linesFromEnd(path: string): Generator<LogLine, void, undefined> {
  const file = openRegularFile(path);
  try {
    let begun = Buffer.alloc(0);
    for (let start = fstatSync(file).size; start > 0; ) {
      const length = Math.min(BLOCK, start);
      start -= length;
      const block = Buffer.concat([readAt(file, start, length), begun]);
      let stop = block.length;
      for (let end = before(block, stop); end !== -1; end = before(block, stop)) {
        yield { start: start + end + 1, text: block.toString("utf8", end + 1, stop) };
        stop = end;
      }
      begun = block.subarray(0, stop);
    }
    if (begun.length > 0) yield { start: 0, text: begun.toString() };
  } finally {
    closeSync(file);
  }
}

/** Whole lines of a log, and the byte at which the next one begins. */
export interface Piece {
  readonly lines: readonly string[];
  readonly next: number;
  /** Something stands behind the last line end: torn, or still being written. */
  readonly torn: boolean;
}

/** As {@link readPiece}; null where there is no log, which may have been removed meanwhile. */
export function pieceIfThere(log: string, from: number): Piece | null {
  try {
    return readPiece(log, from);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/**
 * The whole lines of a log from a byte on, as many as fit into a block; of a line that
 * has no end yet nothing. A log that is shorter than that was begun anew, and is read
 * from its beginning. Throws errors of `node:fs`.
 */
export function readPiece(path: string, from: number): Piece {
  const file = openRegularFile(path);
  try {
    const { size } = fstatSync(file);
    const start = from > size ? 0 : from;
    for (let length = BLOCK; ; length *= 2) {
      const block = readAt(file, start, Math.min(length, size - start));
      const end = block.lastIndexOf(NEWLINE);
      if (end !== -1) {
        return {
          lines: block.toString("utf8", 0, end).split("\n"),
          next: start + end + 1,
          torn: end + 1 < block.length,
        };
      }
      if (start + length >= size) return { lines: [], next: start, torn: block.length > 0 };
    }
  } finally {
    closeSync(file);
  }
}

const BLOCK = 256 * 1024;
const NEWLINE = 10;

/** The last line end before this byte; -1 without any. */
function before(block: Buffer, stop: number): number {
  return stop === 0 ? -1 : block.lastIndexOf(NEWLINE, stop - 1);
}

function readAt(file: number, start: number, length: number): Buffer {
  const block = Buffer.alloc(length);
  return block.subarray(0, readSync(file, block, 0, length, start));
}
