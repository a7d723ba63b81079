import path from "node:path";
import { BadFlagError } from "../config/errors.ts";
import { gitBy } from "../fleet/git/git.ts";
import { wantedWorkspace } from "../fleet/git/wanted.ts";
import type { SubmitOptions } from "../fleet/submit.ts";
import { FlagConflictError } from "./errors.ts";
import type { Shell } from "./shell.ts";

/** The flags that say where a submitted run has its files. */
export interface WorkspaceFlags {
  readonly workspace?: string;
  readonly folder?: string;
  readonly repository?: string;
  readonly commit?: string;
}

/** Where a submitted run has its files. Rejects with a RaymondError for flags that do not fit, and for what git does not have. */
export async function workspaceBy(
  flags: WorkspaceFlags,
  shell: Pick<Shell, "cwd" | "env" | "system">,
  warn: (message: string) => void,
): Promise<SubmitOptions["placement"]["workspace"]> {
  const { workspace = "local", folder, repository, commit } = flags;
  const { cwd } = shell;
  if (workspace !== "git" && (repository ?? commit) !== undefined) {
    const flag = repository === undefined ? "--commit" : "--repository";
    throw new FlagConflictError(`${flag} is for --workspace git.`, "Give --workspace git as well.");
  }
  switch (workspace) {
    case "local":
      return { kind: "local", folder: folder === undefined ? null : path.resolve(cwd, folder) };
    case "shared":
      return { kind: "shared", folder: folder === undefined ? cwd : path.resolve(cwd, folder) };
    case "git": {
      const { processes } = await shell.system();
      const git = gitBy(processes.start, shell.env);
      return wantedWorkspace({ repository, commit, folder }, { git, cwd, warn });
    }
    default:
      throw new BadFlagError("--workspace", workspace, "local, shared or git");
  }
}
