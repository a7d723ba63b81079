import path from "node:path";
import { errorCode } from "../core/error-code.ts";
import type { Disk } from "./disk.ts";
import { writeAtomically } from "./write-atomically.ts";

const IGNORE = `# Runs stay out of version control; the configuration may go in.
*
!.gitignore
!config.toml
`;

/** What a crash has left of a `.gitignore` that was being written. */
const LEFTOVER = /^\.\.gitignore\.[0-9a-f-]+\.tmp$/;

/**
 * Makes the folder that holds runs and configuration (docs/state-file.md, "Where
 * things lie"), with a `.gitignore` on first use. A folder that stood before and
 * is not called `.raymond` may hold other things (`--state-dir .`), and gets
 * none.
 */
export async function prepareRoot(disk: Disk, root: string): Promise<void> {
  const made = await makeDurableFolder(disk, root);
  if (!made && path.basename(root) !== ".raymond") return;
  const file = path.join(root, ".gitignore");
  if ((await disk.entry(file)) !== null) return;
  for (const name of await disk.names(root)) {
    if (LEFTOVER.test(name)) await disk.remove(path.join(root, name));
  }
  try {
    // A part of it, left by a crash, would let runs into git for ever.
    await writeAtomically(disk, file, IGNORE);
  } catch (error) {
    // Another process has taken ours for a leftover, and writes its own.
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

/**
 * Makes a folder, and those above it; when it resolves they survive a power
 * loss, also if another process made them and died before it could see to it.
 * True when it was made.
 *
 * A folder is made only in one that survives already. So where one stands, at
 * most its own name is unsure, and one sync settles that.
 */
export async function makeDurableFolder(disk: Disk, folder: string): Promise<boolean> {
  const parent = path.dirname(folder);
  const stands = (await disk.entry(folder))?.kind === "folder";
  if (!stands && parent !== folder) await makeDurableFolder(disk, parent);
  const made = !stands && (await disk.makeFolder(folder)) !== null;
  await disk.syncFolder(parent).catch((error: unknown) => {
    // Where we may not read we have made nothing.
    const closed = ["EACCES", "EPERM"].includes(errorCode(error) ?? "");
    if (made || !closed) throw error;
  });
  return made;
}
