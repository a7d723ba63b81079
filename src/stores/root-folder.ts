import path from "node:path";
import { type Disk, diskErrorCode } from "./disk.ts";

const IGNORE = `# Runs stay out of version control; the configuration may go in.
*
!.gitignore
!config.toml
`;

/**
 * Makes the folder that holds runs and configuration (spec 3), with a
 * `.gitignore` on first use. A folder that stood before and is not called
 * `.raymond` may hold other things (`--state-dir .`), and gets none.
 */
export async function prepareRoot(disk: Disk, root: string): Promise<void> {
  const made = await makeDurableFolder(disk, root);
  if (!made && path.basename(root) !== ".raymond") return;
  const file = path.join(root, ".gitignore");
  if ((await disk.entry(file)) !== null) return;
  try {
    await disk.write(file, IGNORE);
  } catch (error) {
    if (diskErrorCode(error) !== "EEXIST") throw error;
  }
}

/** Makes a folder, and those above it, so that they survive a power loss. True when it was made. */
export async function makeDurableFolder(disk: Disk, folder: string): Promise<boolean> {
  const topmost = await disk.makeFolder(folder);
  if (topmost === null) return false;
  for (let made = folder; ; made = path.dirname(made)) {
    await disk.syncFolder(path.dirname(made));
    if (made === topmost || made === path.dirname(made)) return true;
  }
}
