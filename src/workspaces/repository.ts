import { realpathSync } from "node:fs";
import path from "node:path";
import { gitEntryAbove } from "../files/git-entry.ts";
import { workspaceErrors } from "./errors.ts";
import type { Git } from "./git.ts";

/** A git working tree. */
export interface Repository {
  /** Absolute, links resolved: its top-level folder. */
  readonly top: string;
  /** Of this working tree. */
  readonly gitDir: string;
  /** Shared by all working trees of the repository. */
  readonly commonDir: string;
  readonly objectFormat: "sha1" | "sha256";
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
  const [top = "", gitDir = "", commonDir = "", format] = found.output.split("\n");
  if (path.relative(top, folder) !== "") {
    const ignored = await git.try(["check-ignore", "--quiet", "--", folder], { cwd: top });
    if (ignored.ok) return null;
  }
  return {
    top: realpathSync(top),
    gitDir: path.resolve(folder, gitDir),
    commonDir: path.resolve(folder, commonDir),
    objectFormat: format === "sha256" ? "sha256" : "sha1",
  };
}

const FACTS = [
  ...["--show-toplevel", "--absolute-git-dir", "--git-common-dir", "--show-object-format"],
];
