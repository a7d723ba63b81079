import path from "node:path";
import { pathInside } from "../../files/paths.ts";
import type { Step } from "../../machine/decide/step.ts";
import type { Agent } from "../../machine/model/agent.ts";
import type { RunSettings, RunState } from "../../machine/model/run-state.ts";

/** The working tree of an agent (docs/workspaces.md): the checkout, or a worktree, which is a copy of it. */
export interface StepTree extends Pick<Step, "launchDir" | "worktree"> {
  /** The place of a path that the user wrote in settings. Outside of the checkout, it is the same for all agents. */
  readonly place: (written: string) => string;
}

export function treeOf(
  run: Pick<RunState, "launchDir" | "worktree">,
  agent: Pick<Agent, "worktree"> | null,
): StepTree {
  const copies = [ofRun(run), ofAgent(agent)].filter((each) => each !== null);
  const base = run.worktree?.origin ?? run.launchDir;
  const place = (written: string) => copies.reduce(copyOf, path.resolve(base, written));
  // The launch folder of a run with a worktree is in it already.
  return { launchDir: place(run.launchDir), worktree: copies.at(-1)?.to, place };
}

/** Settings whose relative paths mean the working tree. */
export function settingsIn({ place }: StepTree, settings: RunSettings): RunSettings {
  const { sandbox } = settings;
  if (sandbox?.relative === undefined) return settings;
  const own = new Set(sandbox.relative);
  const write = sandbox.write.map((each) => (own.has(each) ? place(each) : each));
  return { ...settings, sandbox: { ...sandbox, write, relative: sandbox.relative.map(place) } };
}

/** A worktree and the working tree that it is a copy of: top-level folders. */
interface Copy {
  readonly from: string;
  readonly to: string;
}

function ofRun({ launchDir, worktree }: Pick<RunState, "launchDir" | "worktree">): Copy | null {
  if (worktree === undefined) return null;
  const { folder, origin } = worktree;
  return { from: path.resolve(origin, path.relative(launchDir, folder)), to: folder };
}

function ofAgent(agent: Pick<Agent, "worktree"> | null): Copy | null {
  const { worktree } = agent ?? {};
  return worktree === undefined
    ? null
    : { from: worktree.checkout ?? worktree.origin, to: worktree.folder };
}

/** A place outside of the working tree has no copy. */
function copyOf(place: string, { from, to }: Copy): string {
  const inside = pathInside(from, place);
  return inside === null ? place : path.join(to, inside);
}
