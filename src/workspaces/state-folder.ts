import { mkdir, stat } from "node:fs/promises";
import path from "node:path";
import { errorCode } from "../language/basics/error-code.ts";
import { workspaceErrors } from "./errors.ts";

/** Creates the folder that gets worktrees, for its owner only. Rejects with `workspace/unwritable`. */
export async function makeWorktreesFolder(folder: string): Promise<void> {
  try {
    await makeFolders(folder);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw workspaceErrors["workspace/unwritable"](folder, reason);
  }
}

/** `mkdir` with `recursive` does not end below /proc. */
async function makeFolders(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => null);
  if (found?.isDirectory() === true) return;
  if (path.dirname(folder) !== folder) await makeFolders(path.dirname(folder));
  await mkdir(folder, { mode: 0o700 }).catch(async (error: unknown) => {
    const isMade = errorCode(error) === "EEXIST" && (await stat(folder)).isDirectory();
    if (!isMade) throw error;
  });
}
