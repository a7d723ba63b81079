import { open } from "node:fs/promises";

/** Writes a new file durably. */
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
