import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { pathInside } from "../files/paths.ts";
import { RaymondError } from "../language/basics/errors.ts";
import type { RunState } from "../machine/model/run-state.ts";
import type { AgentWorktree } from "../machine/model/worktree.ts";
import { type Disk, nodeDisk } from "../storage/disk.ts";
import { fileStore } from "../storage/file.ts";
import { findHome } from "../storage/run-home.ts";

/** Whether the files of a run are where the run was last saved. */
export type RunPlace =
  | { readonly kind: "here" }
  /** The state directory was moved from there. */
  | { readonly kind: "moved"; readonly from: string }
  /** The run also exists there, and these files are a copy. */
  | { readonly kind: "copy"; readonly of: string };

const HERE: RunPlace = { kind: "here" };

/** `root`: the state directory from which the run was read. */
export async function placeOf(
  run: RunState,
  root: string,
  disk: Disk = nodeDisk(),
): Promise<RunPlace> {
  const { id, stateFolder: from } = run;
  if (from === undefined || from === root) return HERE;
  const homes = await Promise.all(
    [from, root].map((each) => findHome(disk, each, id).catch(() => null)),
  );
  const [there, here] = homes.map((home) => (home === null ? null : path.dirname(home.stateFile)));
  if (there == null || here == null) return { kind: "moved", from };
  if (there === here || isSameFolder(there, here)) return HERE;
  return (await isIn(from, run, disk)) ? { kind: "copy", of: from } : { kind: "moved", from };
}

/** One folder can have several paths, for example in a container. */
function isSameFolder(one: string, other: string): boolean {
  try {
    const [a, b] = [one, other].map((folder) => statSync(folder, { bigint: true }));
    return a !== undefined && a.ino !== 0n && a.ino === b?.ino && a.dev === b.dev;
  } catch {
    return false;
  }
}

/** Another run can have the same id, but not the same token. A damaged state file may be that of the run. */
async function isIn(root: string, { id, token }: RunState, disk: Disk): Promise<boolean> {
  try {
    return (await fileStore(root, { disk }).load(id))?.token === token;
  } catch (error) {
    return error instanceof RaymondError && error.code !== "store/disk";
  }
}

/**
 * A run whose state directory was moved from `from` to `to`, with its paths in that directory, and in
 * the folder that contains it if they exist there.
 */
export function relocateRun(run: RunState, from: string, to: string): RunState {
  const place = (folder: string): string => {
    const inside = pathInside(from, folder);
    if (inside !== null) return path.join(to, inside);
    const beside = pathInside(path.dirname(from), folder);
    const moved = beside === null ? null : path.join(path.dirname(to), beside);
    return moved !== null && existsSync(moved) ? moved : folder;
  };
  const worktreeIn = <Made extends AgentWorktree>(made: Made): Made => ({
    ...made,
    repository: place(made.repository),
    origin: place(made.origin),
    ...(made.checkout !== undefined && { checkout: place(made.checkout) }),
  });
  const { workflow, settings, worktree } = run;
  const { clients, sandbox, workflowPath } = settings;
  return {
    ...run,
    stateFolder: to,
    launchDir: place(run.launchDir),
    scopeDir: place(run.scopeDir),
    workflow: { ...workflow, path: place(workflow.path) },
    worktree: worktree && { ...worktree, origin: place(worktree.origin) },
    closing: run.closing?.map(worktreeIn),
    kept: run.kept?.map(worktreeIn),
    agents: run.agents.map((agent) => ({
      ...agent,
      cwd: agent.cwd === null ? null : place(agent.cwd),
      ...(agent.worktree !== undefined && { worktree: worktreeIn(agent.worktree) }),
    })),
    settings: {
      ...settings,
      workflowPath: workflowPath.map(place),
      sandbox: sandbox && { ...sandbox, write: sandbox.write.map(place) },
      clients: Object.fromEntries(
        Object.entries(clients).map(([name, file]) => [
          name,
          path.isAbsolute(file) ? place(file) : file,
        ]),
      ),
    },
  };
}
