import path from "node:path";
import { errorCode } from "../language/basics/error-code.ts";
import { type Disk, writeAtomically } from "./disk.ts";

const IGNORE = `# Git ignores runs and this file. The configuration may be committed.
*
!config.toml
`;

/** A partial `.gitignore` of a crashed process. */
const PARTIAL_FILE = /^\.\.gitignore\.[0-9a-f-]+\.tmp$/;

/**
 * Creates the folder of runs and configuration (docs/state-file.md, "Files"), with a `.gitignore`. An existing folder
 * with another name than `.raymond` may contain other files (`--state-dir .`) and gets none.
 */
export async function prepareRoot(disk: Disk, root: string): Promise<void> {
  const made = await makeDurableFolder(disk, root);
  if (!made && path.basename(root) !== ".raymond") return;
  const file = path.join(root, ".gitignore");
  if ((await disk.entry(file)) !== null) return;
  for (const name of await disk.names(root)) {
    if (PARTIAL_FILE.test(name)) await disk.remove(path.join(root, name));
  }
  try {
    // A partial file, left by a crash, would permanently allow runs in git.
    await writeAtomically(disk, file, IGNORE);
  } catch (error) {
    // Another process deleted our temporary file as a leftover, and writes its own.
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

/**
 * Creates a folder with its parents. When it resolves, they survive a power loss, even if another process created them
 * and died before its fsync. Returns whether the folder was created.
 *
 * A folder is only created in one that is durable. So of an existing folder at most its own name is not durable yet,
 * which one fsync of the parent fixes.
 */
export async function makeDurableFolder(disk: Disk, folder: string): Promise<boolean> {
  const parent = path.dirname(folder);
  const exists = (await disk.entry(folder))?.kind === "folder";
  if (!exists && parent !== folder) await makeDurableFolder(disk, parent);
  const made = !exists && (await disk.makeFolder(folder)) !== null;
  await disk.syncFolder(parent).catch((error: unknown) => {
    // In a folder that we must not read we have created nothing.
    const closed = ["EACCES", "EPERM"].includes(errorCode(error) ?? "");
    if (made || !closed) throw error;
  });
  return made;
}
