import { randomUUID } from "node:crypto";
import path from "node:path";
import type { Disk } from "./disk.ts";

/**
 * Writes a file that takes its name, or the place of the one before, as a
 * whole: nobody ever finds a part of it. Its bytes survive a power loss, its
 * name once the folder is synced. `consent` is asked when only the name is
 * missing; what it rejects with leaves everything as it was.
 */
export async function writeAtomically(
  disk: Disk,
  file: string,
  text: string,
  consent: (written: string) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const beside = path.join(
    path.dirname(file),
    `.${path.basename(file)}.${randomUUID().slice(0, 8)}.tmp`,
  );
  try {
    await disk.write(beside, text);
    await consent(beside);
    await disk.rename(beside, file);
  } catch (error) {
    // A full disk wants its room back.
    await disk.remove(beside).catch(() => undefined);
    throw error;
  }
}
