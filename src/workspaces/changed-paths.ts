import { lstatSync } from "node:fs";
import path from "node:path";
import type { Git } from "./git.ts";
import type { PlainGit } from "./plain-git.ts";
import { inTree, type Repository } from "./repository.ts";

/** Why a file is not in snapshots. */
export type SkipReason = "large" | "repository" | "unreadable";

export interface ChangedPaths {
  /** Relative to the top of the working tree; bytes, one character each. */
  readonly paths: readonly string[];
  /** Deleted files whose folder is now something else, such as a link. */
  readonly gone: readonly string[];
  readonly skipped: ReadonlyMap<string, SkipReason>;
}

/**
 * The files that differ from the index of snapshots: modified, deleted and new ones that git does not ignore.
 * Repositories inside of the working tree, submodules included, are skipped.
 */
export async function changedPaths(plain: PlainGit, maxBytes: number): Promise<ChangedPaths> {
  const { git, repository, call } = plain;
  // Two processes: `diff-files` uses all processors, and together they take half the time of `ls-files --modified`.
  const lists = await Promise.all([
    git.run(["diff-files", "-z", "--name-only", "--ignore-submodules"], call({ bytes: true })),
    git.run(["ls-files", "-z", "--others", "--exclude-standard"], call({ bytes: true })),
  ]);
  const names = new Set(lists.flatMap((list) => list.split("\0")));
  const skipped = new Map<string, SkipReason>();
  const paths: string[] = [];
  const gone: string[] = [];
  const isFolder = folderCheck(repository.top);
  for (const [at, name] of [...names].entries()) {
    if (name === "") continue;
    if (at % FILES_PER_TURN === FILES_PER_TURN - 1) await yieldToEventLoop();
    const reason = name.endsWith("/") ? "repository" : sizeProblem(repository.top, name, maxBytes);
    if (reason !== null) skipped.set(name, reason);
    else if (isFolder(path.posix.dirname(name))) paths.push(name);
    else gone.push(name);
  }
  return { paths, gone, skipped };
}

/** Tracked files that an ignore file matches: `ls-files --others` does not list them. */
export async function ignoredTracked(repository: Repository, git: Git): Promise<readonly string[]> {
  const args = ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"];
  const listed = await git.try(args, { ...inTree(repository), bytes: true });
  return listed.ok ? listed.output.split("\0").filter((name) => name !== "") : [];
}

function sizeProblem(top: string, name: string, maxBytes: number): SkipReason | null {
  try {
    const found = lstatSync(placeOf(top, name));
    return found.isFile() && found.size > maxBytes ? "large" : null;
  } catch {
    // Deleted.
    return null;
  }
}

/** Whether no folder of a path has been replaced by something else. A missing one counts as a folder. */
function folderCheck(top: string): (folder: string) => boolean {
  const known = new Map([[".", true]]);
  const check = (folder: string): boolean => {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const is = check(path.posix.dirname(folder)) && isFolderOrMissing(placeOf(top, folder));
    known.set(folder, is);
    return is;
  };
  return check;
}

function isFolderOrMissing(place: Buffer): boolean {
  try {
    return lstatSync(place).isDirectory();
  } catch {
    return true;
  }
}

/** Names may contain bytes that are not UTF-8. */
function placeOf(top: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${top}/`), Buffer.from(name, "latin1")]);
}

/** `lstat` is faster without promises, and must not block the event loop for long. */
const FILES_PER_TURN = 1_000;

function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
