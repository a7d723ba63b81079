import fs from "node:fs";
import path from "node:path";

/**
 * The least that makes a file survive a power loss: a file beside, fsync,
 * rename, fsync of the folder. Synchronously: for a single loop nothing is cheaper.
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
