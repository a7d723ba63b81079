import path from "node:path";
import { BadFlagError } from "../../../config/errors.ts";
import { parseDurationFlag } from "../../../config/flags.ts";
import { resolveWorkspace } from "../../../fleet/git/resolve-workspace.ts";
import { DEFAULT_PLACEMENT, type SubmitOptions } from "../../../fleet/queue/submit.ts";
import { gitBy } from "../../../workspaces/git.ts";
import type { Shell } from "../../shell.ts";
import { cliErrors } from "../../words/errors.ts";

type Placement = SubmitOptions["placement"];

export interface PlacementFlags {
  readonly pool?: string;
  readonly account?: string;
  readonly machine?: string;
  readonly workspace?: "local" | "shared" | "git";
  readonly folder?: string;
  readonly repository?: string;
  readonly commit?: string;
  readonly sessions?: string;
  readonly failoverAfter?: string;
}

/** Where a run may be executed. Rejects for options that do not fit, and for a commit that workers cannot fetch. */
export async function placementOf(
  flags: PlacementFlags,
  shell: Pick<Shell, "cwd" | "env" | "system">,
  warn: (message: string) => void,
): Promise<Placement> {
  const { pool, account, machine, failoverAfter, sessions = "home" } = flags;
  return {
    pool: pool ?? DEFAULT_PLACEMENT.pool,
    account: account ?? DEFAULT_PLACEMENT.account,
    pinned: machine ?? DEFAULT_PLACEMENT.pinned,
    workspace: await workspaceOf(flags, shell, warn),
    sessions: sessionsOf(sessions, shell.cwd),
    failoverAfterMs:
      failoverAfter === undefined
        ? DEFAULT_PLACEMENT.failoverAfterMs
        : parseDurationFlag("--failover-after", failoverAfter),
  };
}

async function workspaceOf(
  { workspace = "local", folder, repository, commit }: PlacementFlags,
  { cwd, env, system }: Pick<Shell, "cwd" | "env" | "system">,
  warn: (message: string) => void,
): Promise<Placement["workspace"]> {
  if (workspace !== "git" && (repository ?? commit) !== undefined) {
    const flag = repository === undefined ? "--commit" : "--repository";
    throw cliErrors["cli/flag-conflict"](`${flag} is for --workspace git.`, "Add --workspace git.");
  }
  switch (workspace) {
    case "local":
      return { kind: "local", folder: folder === undefined ? null : path.resolve(cwd, folder) };
    case "shared":
      return { kind: "shared", folder: path.resolve(cwd, folder ?? "") };
    case "git": {
      const git = gitBy((await system()).processes.start, env);
      return resolveWorkspace({ repository, commit, folder }, { git, cwd, warn });
    }
  }
}

function sessionsOf(text: string, cwd: string): Placement["sessions"] {
  const folder = /^dir:(.+)$/s.exec(text)?.[1];
  if (folder !== undefined) return { kind: "dir", folder: path.resolve(cwd, folder) };
  if (text === "home" || text === "pg") return { kind: text };
  throw new BadFlagError("--sessions", text, "home, pg, or dir:PATH");
}
