import { createHash, randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { chmod, copyFile, lstat, mkdir, rename, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type GitPlace, repositoryConfig, type TryGit } from "./repository-config.ts";

/** The variables that select a repository, without its configuration. */
export type Isolate = (place: GitPlace) => Promise<Readonly<Record<string, string>>>;

/**
 * Lets git work on the refs, objects and worktrees of a repository without its configuration and hooks, which a step or
 * an archive can write: they name programs that git starts. The shared git directory is a folder of raymond with links
 * to the data of the repository. The configuration of the user applies. `folder`: no step may write to it; null: a
 * temporary folder of this process.
 */
export function isolateIn(folder: string | null, tryGit: TryGit): Isolate {
  const opened = new Map<string, Promise<string>>();
  return async (place) => {
    const { gitDir, commonDir, top } = place;
    const key = `${gitDir}\n${commonDir}`;
    const opening = opened.get(key) ?? openShared(folder ?? temporaryFolder(), place, tryGit);
    opened.set(key, opening);
    opening.catch(() => opened.delete(key));
    const shared = await opening;
    for (const name of DATA) await link(path.join(commonDir, name), path.join(shared, name));
    return {
      GIT_DIR: gitDir,
      GIT_COMMON_DIR: shared,
      ...(top !== null && { GIT_WORK_TREE: top }),
    };
  };
}

async function openShared(parent: string, place: GitPlace, tryGit: TryGit): Promise<string> {
  const { gitDir, commonDir } = place;
  const id = createHash("sha256").update(`${gitDir}\n${commonDir}`).digest("hex").slice(0, 12);
  const shared = path.join(parent, `git-${id}`);
  await mkdir(shared, { recursive: true });
  // Another user may run git (raymond worker --step-user).
  await chmod(shared, 0o755);
  const config = path.join(shared, "config");
  const fresh = `${config}.${randomBytes(6).toString("hex")}`;
  await writeFile(fresh, await repositoryConfig(place, "all", tryGit));
  await chmod(fresh, 0o644);
  // Another call may be reading it.
  await rename(fresh, config);
  return shared;
}

/** What all working trees share, except for configuration and hooks. */
export const DATA = [
  ...["objects", "refs", "packed-refs", "HEAD", "logs", "worktrees"],
  ...["info", "shallow", "reftable", "lfs"],
] as const;

async function link(from: string, to: string): Promise<void> {
  if ((await lstat(to).catch(() => null)) !== null || !existsSync(from)) return;
  const isFolder = (await stat(from)).isDirectory();
  await symlink(from, to, isFolder ? "junction" : "file").catch(async (error: unknown) => {
    // A parallel call was first. On Windows, not every user may create links of files.
    if (existsSync(to)) return;
    if (isFolder) throw error;
    await copyFile(from, to);
  });
}

let temporary: string | null = null;

function temporaryFolder(): string {
  if (temporary !== null && existsSync(temporary)) return temporary;
  const made = mkdtempSync(path.join(tmpdir(), "raymond-git-"));
  chmodSync(made, 0o755);
  temporary = made;
  process.on("exit", () => {
    rmSync(made, { recursive: true, force: true });
  });
  return made;
}
