import { randomUUID } from "node:crypto";
import path from "node:path";
import type { Disk } from "./disk.ts";

/**
 * Creates or replaces a file atomically. Its bytes survive a power loss, its name after an fsync of the folder.
 * `confirm` is called before the rename with the temporary file; if it rejects, nothing changes.
 */
export async function writeAtomically(
  disk: Disk,
  file: string,
  text: string,
  confirm: (written: string) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const temporary = path.join(
    path.dirname(file),
    `.${path.basename(file)}.${randomUUID().slice(0, 8)}.tmp`,
  );
  try {
    await disk.write(temporary, text);
    await confirm(temporary);
    await disk.rename(temporary, file);
  } catch (error) {
    // The disk may be full.
    await disk.remove(temporary).catch(() => undefined);
    throw error;
  }
}
