import { realpathSync } from "node:fs";
import path from "node:path";
import { gitEntryAbove } from "../files/git-entry.ts";
import { workspaceErrors } from "./errors.ts";
import type { Git, GitCall } from "./git.ts";
import type { GitPlace } from "./repository-config.ts";

/** A git working tree. */
export interface Repository extends GitPlace {
  /** Absolute, links resolved: its top-level folder. */
  readonly top: string;
}

/**
 * The working tree around a folder. Null outside git, in a bare repository, and for a folder that the
 * repository ignores. Rejects with `workspace/git-failed` if git refuses the repository.
 */
export async function findRepository(folder: string, git: Git): Promise<Repository | null> {
  if (gitEntryAbove(folder) === null) return null;
  const found = await git.try(["rev-parse", ...FACTS], { cwd: folder });
  if (!found.ok) {
    if (/must be run in a work tree|not a git repository/.test(found.output)) return null;
    throw workspaceErrors["workspace/git-failed"]("rev-parse", found.output);
  }
  const [top = "", gitDir = "", commonDir = ""] = found.output.split("\n");
  const repository = {
    top: realpathSync(top),
    gitDir: path.resolve(folder, gitDir),
    commonDir: path.resolve(folder, commonDir),
  };
  if (path.relative(top, folder) !== "") {
    const args = ["check-ignore", "--quiet", "--", folder];
    if ((await git.try(args, inTree(repository))).ok) return null;
  }
  return repository;
}

const FACTS = ["--show-toplevel", "--absolute-git-dir", "--git-common-dir"];

/** A call for a working tree: its HEAD, index and files. */
export function inTree(repository: Repository): GitCall & { readonly repository: GitPlace } {
  return { cwd: repository.top, repository };
}

/** A call for the refs and worktrees of a repository that is named by its shared git directory. */
export function inCommon(commonDir: string): GitCall {
  return { cwd: commonDir, repository: { gitDir: commonDir, commonDir, top: null } };
}
