import { randomUUID } from "node:crypto";
import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/**
 * A text as an open file without a name, for the standard input of a child:
 * it has all of it or never starts. Through a pipe a child whose raymond dies
 * meanwhile would find the beginning of its prompt, and take it for the whole.
 * The file is private and goes with the last who has it open; close the
 * descriptor once the child has it. Null where no file can be made (a full
 * disk, no temporary folder): then a pipe must do.
 */
export function inputFile(text: string): number | null {
  const name = path.join(tmpdir(), `raymond-input.${randomUUID()}`);
  let file: number;
  try {
    file = openSync(name, "wx+", 0o600);
  } catch {
    return null;
  }
  try {
    unlinkSync(name);
    const bytes = Buffer.from(text);
    // By position: the child shares ours, and is to read from the beginning.
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, at);
    return file;
  } catch {
    closeSync(file);
    return null;
  }
}
