import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Git, GitCall } from "./git.ts";
import type { Repository } from "./repository.ts";
import { repositoryConfig } from "./repository-config.ts";

/*
 * Snapshots contain the bytes of the files, and making one runs no program of the repository:
 *
 * N1  git runs with a git directory of raymond that shares only the objects of the repository. The
 *     configuration of the repository, which a step can change, is not read: no filter, diff driver,
 *     pager or file system monitor of it runs.
 * N2  Its attributes switch off conversions: line ends, encodings, filters such as git LFS.
 */

export interface PlainGit {
  readonly git: Git;
  readonly repository: Repository;
  /** Ignores files in addition to the ignore files of the working tree. */
  readonly exclude: (patterns: readonly string[]) => Promise<void>;
  /** The index file of snapshots, separate from the index of the user. */
  readonly index: string;
  /** Adds the variables that select the git directory. */
  readonly call: (call?: Partial<GitCall>) => GitCall;
}

export interface PlainPlace {
  /** The git directory of raymond, created if it does not exist. */
  readonly folder: string;
  /** Default: in `folder`. */
  readonly index?: string;
  /** Converts line ends and applies filters of the user's configuration, as for a commit on a branch. */
  readonly converts?: boolean;
}

/** Opens the git directory of raymond for a working tree. */
export async function openPlainGit(
  repository: Repository,
  { folder, index, converts = false }: PlainPlace,
  git: Git,
): Promise<PlainGit> {
  const excludeFile = path.join(folder, "info", "exclude");
  await mkdir(path.join(folder, "refs"), { recursive: true });
  await mkdir(path.join(folder, "info"), { recursive: true });
  await writeFile(path.join(folder, "info", "attributes"), converts ? "" : RAW);
  await writeFile(
    path.join(folder, "config"),
    await repositoryConfig(repository, converts ? "conversions" : "bytes", (...call) =>
      git.try(...call),
    ),
  );
  await writeFile(path.join(folder, "HEAD"), "ref: refs/heads/none\n");
  await writeFile(path.join(folder, REPOSITORY_FILE), repository.commonDir);
  const env = {
    GIT_DIR: folder,
    GIT_WORK_TREE: repository.top,
    GIT_OBJECT_DIRECTORY: path.join(repository.commonDir, "objects"),
    GIT_INDEX_FILE: index ?? path.join(folder, "index"),
    GIT_LITERAL_PATHSPECS: "1",
  };
  return {
    git,
    repository,
    index: env.GIT_INDEX_FILE,
    call: (call = {}) => ({ cwd: repository.top, ...call, env: { ...env, ...call.env } }),
    exclude: async (patterns) => {
      const own = await readFile(path.join(repository.commonDir, "info", "exclude"), "utf8").catch(
        () => "",
      );
      const wanted = [own.trimEnd(), ...patterns, ""].join("\n");
      const current = await readFile(excludeFile, "utf8").catch(() => null);
      if (current !== wanted) await writeFile(excludeFile, wanted);
    },
  };
}

/** The shared git directory of the repository, for `raymond prune`. */
export const REPOSITORY_FILE = "repository";

const RAW = "* -text -ident !filter !working-tree-encoding\n";
