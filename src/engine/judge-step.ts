import { decide, wantedFolders, wantedWorkflows } from "../core/machine/decide.ts";
import type { Decision } from "../core/machine/decision.ts";
import type { StepOutcome } from "../core/machine/outcome.ts";
import type { Step } from "../core/machine/step.ts";
import type { Engine } from "./engine.ts";
import { findWorkflows } from "./find-workflows.ts";

/** Looks up what a judgement needs to know of the world, and judges an outcome. */
export async function judgeStep(
  step: Step,
  outcome: StepOutcome,
  { folders, workflows, lostSession }: Pick<Engine, "folders" | "workflows" | "lostSession">,
): Promise<Decision> {
  const wanted = wantedFolders(step, outcome);
  const found = await Promise.all(wanted.map((cd) => folders.find(step.cwd, cd)));
  const there = new Map(
    wanted.flatMap((cd, index) => {
      const folder = found[index] ?? null;
      return folder === null ? [] : [[cd, folder] as const];
    }),
  );
  // A step may take hours in which the workflow is edited: a transition means what is there when it is emitted.
  const { workflow } = step.agent;
  const names = await workflows
    .scope(workflow)
    .names()
    .catch(() => step.names);
  const circumstances = {
    folders: there,
    workflows: await findWorkflows(wantedWorkflows(step, outcome), workflow, workflows),
    lostSession,
  };
  return decide({ ...step, names }, outcome, circumstances);
}
