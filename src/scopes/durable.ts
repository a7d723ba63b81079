import { mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";

export async function writeDurably(file: string, bytes: Buffer, mode: number): Promise<void> {
  const handle = await open(file, "wx", mode);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the entries of a folder durable, where supported (not on Windows). */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Replaces a folder durably by what `fill` writes, so that a crash leaves no partial folder. An
 * existing folder belongs to a start that was interrupted before its run was saved.
 */
export async function replaceFolder(
  dir: string,
  fill: (partial: string) => Promise<void>,
): Promise<void> {
  const partial = `${dir}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true, mode: 0o700 });
  await fill(partial);
  await rm(dir, { recursive: true, force: true });
  await rename(partial, dir);
  await syncFolder(path.dirname(dir));
}
