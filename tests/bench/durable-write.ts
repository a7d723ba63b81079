import fs from "node:fs";
import path from "node:path";

/**
 * The minimum for a durable write: temporary file, fsync, rename, fsync of the folder. Synchronous calls are the
 * fastest in a single loop.
 */
export function writeDurably(file: string, text: string): void {
  const beside = `${file}.tmp`;
  const handle = fs.openSync(beside, "w");
  fs.writeFileSync(handle, text);
  fs.fsyncSync(handle);
  fs.closeSync(handle);
  fs.renameSync(beside, file);
  const folder = fs.openSync(path.dirname(file), "r");
  fs.fsyncSync(folder);
  fs.closeSync(folder);
}
