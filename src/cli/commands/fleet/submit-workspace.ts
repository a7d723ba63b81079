import path from "node:path";
import { gitBy } from "../../../fleet/git/git.ts";
import { resolveWorkspace } from "../../../fleet/git/resolve-workspace.ts";
import type { SubmitOptions } from "../../../fleet/queue/submit.ts";
import type { Shell } from "../../shell.ts";
import { cliErrors } from "../../words/errors.ts";

export interface WorkspaceFlags {
  readonly workspace?: "local" | "shared" | "git";
  readonly folder?: string;
  readonly repository?: string;
  readonly commit?: string;
}

/** Where a submitted run has its files. Rejects for options that do not fit, and for a commit that git does not have. */
export async function workspaceBy(
  flags: WorkspaceFlags,
  shell: Pick<Shell, "cwd" | "env" | "system">,
  warn: (message: string) => void,
): Promise<SubmitOptions["placement"]["workspace"]> {
  const { workspace = "local", folder, repository, commit } = flags;
  const { cwd } = shell;
  if (workspace !== "git" && (repository ?? commit) !== undefined) {
    const flag = repository === undefined ? "--commit" : "--repository";
    throw cliErrors["cli/flag-conflict"](`${flag} is for --workspace git.`, "Add --workspace git.");
  }
  switch (workspace) {
    case "local":
      return { kind: "local", folder: folder === undefined ? null : path.resolve(cwd, folder) };
    case "shared":
      return { kind: "shared", folder: folder === undefined ? cwd : path.resolve(cwd, folder) };
    case "git": {
      const { processes } = await shell.system();
      const git = gitBy(processes.start, shell.env);
      return resolveWorkspace({ repository, commit, folder }, { git, cwd, warn });
    }
  }
}
