import type { OutputElement } from "../../language/protocol/output-elements.ts";
import { isStart, isWorkflowTransition } from "../../language/protocol/transition.ts";
import {
  branchNameIn,
  wantsWorktree,
  worktreeProblem,
} from "../../language/protocol/worktree-name.ts";
import type { ResolvedPlaces } from "./decision.ts";
import type { Step } from "./step.ts";

/** Adds the place of the worktree to a tag that starts an agent. `step`: of the forking agent. */
export function settlePlace(
  item: OutputElement,
  { cwd, agent }: Pick<Step, "cwd" | "agent">,
  found: ResolvedPlaces | undefined,
): OutputElement {
  if (!item.ok || !isStart(item.transition) || found?.ok !== true) return item;
  const { transition, shown } = item;
  const { worktree = String(found.isDefault), cd = cwd } = transition;
  if (!wantsWorktree(worktree)) return item;
  const faulty = (message: string): OutputElement => {
    return { ok: false, shown, fault: { code: "malformed-tag", message } };
  };
  // A rule can complete it from values that a model wrote.
  const wrong = worktreeProblem(worktree);
  if (wrong !== null) return faulty(`The worktree attribute of <${transition.tag}> ${wrong}.`);
  const name = branchNameIn(worktree);
  if (name !== null && found.branches.has(`raymond/${name}`)) {
    return faulty(
      `The branch raymond/${name} exists already. Use another name, or worktree="true".`,
    );
  }
  const inside = found.inside.get(cd);
  if (inside === undefined) {
    return faulty(`The cd folder of an agent with a worktree must be in the repository: ${cd}`);
  }
  const workflow = isWorkflowTransition(transition) ? transition.entry?.workflow : agent.workflow;
  const setup = found.setups.get(workflow ?? null) ?? null;
  const place = { ...found.place, inside, setup };
  return { ...item, transition: { ...transition, worktree, place } };
}
