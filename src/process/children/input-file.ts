import { randomUUID } from "node:crypto";
import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/**
 * A text as an open file without a name, for the standard input of a child. Through a pipe, a child
 * whose raymond dies would read a truncated prompt and take it for the whole. The file is private
 * and disappears with its last descriptor. Close the descriptor after the start of the child. Null
 * if no file can be created (full disk, no temporary folder): then a pipe is used.
 */
export function inputFile(text: string | Buffer): number | null {
  const name = path.join(tmpdir(), `raymond-input.${randomUUID()}`);
  let file: number;
  try {
    file = openSync(name, "wx+", 0o600);
  } catch {
    return null;
  }
  try {
    unlinkSync(name);
    const bytes = typeof text === "string" ? Buffer.from(text) : text;
    // Writes by position: the child shares the file offset and must read from the start.
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, at);
    return file;
  } catch {
    closeSync(file);
    return null;
  }
}
