import { constants } from "node:fs";
import { copyFile, lstat, mkdir } from "node:fs/promises";
import path from "node:path";
import { workspaceErrors } from "./errors.ts";
import type { Git } from "./git.ts";
import { findRepository, inTree } from "./repository.ts";

/**
 * Copies files that git ignores, such as `.env.local`, into a new worktree. Missing files, and those that the worktree
 * has, are skipped. No link is followed. Rejects with a RaymondError.
 */
export async function copyFiles(
  files: readonly string[],
  { from, to }: { readonly from: string; readonly to: string },
  git: Git,
): Promise<void> {
  const worktree = files.length === 0 ? null : await findRepository(to, git);
  if (worktree === null) return;
  for (const file of files) {
    const parts = file.split("/");
    if (!(await isFileBelow(from, parts))) continue;
    const ignored = await git.try(["check-ignore", "--quiet", "--", file], inTree(worktree));
    const target = path.join(to, ...parts);
    if ((await lstat(target).catch(() => null)) !== null) continue;
    if (!ignored.ok) throw workspaceErrors["workspace/copy-tracked"](file);
    await makeFolders(to, parts.slice(0, -1), file);
    await copyFile(path.join(from, ...parts), target, constants.COPYFILE_EXCL);
  }
}

/** False: it does not exist. Rejects if a link is on the way, or if it is no file. */
async function isFileBelow(folder: string, parts: readonly string[]): Promise<boolean> {
  for (const count of parts.keys()) {
    const place = path.join(folder, ...parts.slice(0, count + 1));
    const found = await lstat(place).catch(() => null);
    if (found === null) return false;
    const isLast = count === parts.length - 1;
    if (isLast ? !found.isFile() : !found.isDirectory())
      throw workspaceErrors["workspace/copy-link"](place);
  }
  return true;
}

async function makeFolders(top: string, parts: readonly string[], file: string): Promise<void> {
  for (const count of parts.keys()) {
    const place = path.join(top, ...parts.slice(0, count + 1));
    const found = await lstat(place).catch(() => null);
    if (found === null) await mkdir(place);
    else if (!found.isDirectory())
      throw workspaceErrors["workspace/copy-link"](path.join(top, file));
  }
}
