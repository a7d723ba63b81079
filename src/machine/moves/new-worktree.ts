import { startsOf } from "../../language/protocol/output-elements.ts";
import type { Start, Transition } from "../../language/protocol/transition.ts";
import { branchNameIn } from "../../language/protocol/worktree-name.ts";
import type { AgentId } from "../model/agent.ts";
import type { RunId, RunState } from "../model/run-state.ts";
import type { AgentWorktree } from "../model/worktree.ts";

/** The worktree and the folder of an agent that a tag starts; null: it gets none. */
export function worktreeOf(
  { place, worktree = "true" }: Start,
  forking: { readonly worktree?: AgentWorktree | undefined },
  run: RunId,
  agent: AgentId,
): { readonly worktree: AgentWorktree; readonly cwd: string } | null {
  if (place === undefined) return null;
  const { repository, parent, base, inside, origin, copy } = place;
  const own = `${run}-${agent}`;
  const folder = `${parent}/${own}`;
  const checkout =
    forking.worktree?.folder === origin
      ? (forking.worktree.checkout ?? forking.worktree.origin)
      : undefined;
  return {
    worktree: {
      ...{ folder, branch: branchOf(branchNameIn(worktree) ?? own), base },
      ...{ repository, origin, copy },
      ...(checkout !== undefined && { checkout }),
    },
    cwd: inside === "" ? folder : `${folder}/${inside}`,
  };
}

/** Why new agents cannot have the branches that their tags name; null if they can. */
export function branchProblem(run: RunState, transitions: readonly Transition[]): string | null {
  const used = new Set<string>([
    ...(run.worktree === undefined ? [] : [run.worktree.branch]),
    ...run.agents.flatMap(({ worktree }) => worktree?.branch ?? []),
    ...[...(run.closing ?? []), ...(run.kept ?? [])].map(({ branch }) => branch),
  ]);
  for (const { place, worktree } of startsOf(transitions)) {
    const name = place === undefined || worktree === undefined ? null : branchNameIn(worktree);
    if (name === null) continue;
    const branch = branchOf(name);
    if (used.has(branch)) return `Two agents cannot work on the branch ${branch}.`;
    used.add(branch);
  }
  return null;
}

export const BRANCH_HINT = 'Use another name for each agent, or worktree="true".';

function branchOf(name: string): string {
  return `raymond/${name}`;
}
