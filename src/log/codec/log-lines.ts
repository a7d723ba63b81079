import { closeSync, fstatSync, readSync } from "node:fs";
import { openRegularFile } from "../../files/read-file.ts";
import { errorCode } from "../../language/basics/error-code.ts";

export interface LogLine {
  readonly start: number;
  readonly text: string;
}

/**
 * The lines of a log from the end, read block by block on demand. The first one is the text after the last line end:
 * empty, torn, or a write in progress. Throws errors of `node:fs`.
 */
export function* linesFromEnd(path: string): Generator<LogLine, void, undefined> {
  const file = openRegularFile(path);
  try {
    let rest = Buffer.alloc(0);
    for (let start = fstatSync(file).size; start > 0; ) {
      const length = Math.min(BLOCK, start);
      start -= length;
      const block = Buffer.concat([readAt(file, start, length), rest]);
      let stop = block.length;
      for (let end = before(block, stop); end !== -1; end = before(block, stop)) {
        yield { start: start + end + 1, text: block.toString("utf8", end + 1, stop) };
        stop = end;
      }
      rest = block.subarray(0, stop);
    }
    if (rest.length > 0) yield { start: 0, text: rest.toString() };
  } finally {
    closeSync(file);
  }
}

/** Complete lines of a log, and the first byte of the next line. */
export interface Piece {
  readonly lines: readonly string[];
  readonly next: number;
  /** There is text after the last line end: torn, or a write in progress. */
  readonly torn: boolean;
}

/** Like {@link readPiece}; null if the log does not exist. */
export function readPieceIfExists(log: string, from: number): Piece | null {
  try {
    return readPiece(log, from);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/**
 * Reads the complete lines of a log from byte `from` on, at most a block. A log shorter than `from` was replaced, and is
 * read from the start. Throws errors of `node:fs`.
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

/** The last line end before this byte, or -1. */
function before(block: Buffer, stop: number): number {
  return stop === 0 ? -1 : block.lastIndexOf(NEWLINE, stop - 1);
}

function readAt(file: number, start: number, length: number): Buffer {
  const block = Buffer.alloc(length);
  return block.subarray(0, readSync(file, block, 0, length, start));
}
