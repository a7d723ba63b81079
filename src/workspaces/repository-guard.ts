import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { gitEntryAbove } from "../files/git-entry.ts";
import { workspaceErrors } from "./errors.ts";
import { DATA } from "./isolated-repository.ts";
import type { Repository } from "./repository.ts";

/**
 * Recognizes repositories that a step has replaced: its `.git`, the folder that it names, or a link in it. Otherwise
 * raymond would read and write the files of another repository, to which the step may have no access.
 */
export class RepositoryGuard {
  readonly #known = new Map<string, string>();
  readonly #entries = new Map<string, string>();

  /** Remembers the repository around a folder. Throws `workspace/repository-changed` if it is another one than before. */
  check(folder: string): void {
    const entry = gitEntryAbove(folder);
    if (entry === null) return;
    const before = this.#entries.get(folder) ?? entry;
    // A step may create a repository. Without its own, the folder would belong to the repository around it.
    if (entry.length < before.length) throw workspaceErrors["workspace/repository-changed"](before);
    this.#entries.set(folder, entry);
    const identity = identityOf(entry);
    if (identity === null) return;
    const known = this.#known.get(entry);
    this.#known.set(entry, known ?? identity);
    if (known !== undefined && known !== identity)
      throw workspaceErrors["workspace/repository-changed"](entry);
  }
}

/** Throws `workspace/repository-changed` if a step has connected a worktree with something else. */
export function requireWorktreeOf(commonDir: string, { top, gitDir, ...made }: Repository): void {
  const entry = path.join(top, ".git");
  const isOwn =
    real(made.commonDir) === real(commonDir) &&
    real(path.dirname(gitDir)) === real(path.join(commonDir, "worktrees")) &&
    real(path.resolve(gitDir, textOf(path.join(gitDir, "gitdir")))) === real(entry);
  if (!isOwn) throw workspaceErrors["workspace/repository-changed"](entry);
}

/** Null: no repository, such as one that was deleted. */
function identityOf(entry: string): string | null {
  try {
    const pointer = lstatSync(entry).isFile() ? /^gitdir: (.*)/.exec(textOf(entry))?.[1] : null;
    const gitDir = path.resolve(path.dirname(entry), pointer ?? entry);
    const commonDir = path.resolve(gitDir, textOf(path.join(gitDir, "commondir")));
    const folders = [gitDir, commonDir].map((folder) => {
      const { dev, ino } = statSync(folder);
      return `${realpathSync(folder)} ${String(dev)}:${String(ino)}`;
    });
    return [...folders, ...DATA.map((name) => linkIn(commonDir, name))].join("\n");
  } catch {
    return null;
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8").trimEnd();
  } catch {
    return "";
  }
}

/** The target of a link; empty if it is none. */
function linkIn(folder: string, name: string): string {
  const file = path.join(folder, name);
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink ? (real(file) ?? file) : "";
}

/** With links resolved; null if it does not exist. */
function real(file: string): string | null {
  try {
    return realpathSync(file);
  } catch {
    return null;
  }
}
