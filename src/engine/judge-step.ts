import { decide, parseOutput } from "../machine/decide/decide.ts";
import type { Decision } from "../machine/decide/decision.ts";
import type { Step } from "../machine/decide/step.ts";
import type { Event } from "../machine/model/event.ts";
import type { StepOutcome } from "../machine/model/outcome.ts";
import type { Engine } from "./engine.ts";
import { findPlaces } from "./prepare/find-places.ts";
import { findSchemas } from "./prepare/find-schemas.ts";
import { findWorkflows } from "./prepare/find-workflows.ts";

/** Gathers the facts for a decision (folders, workflows, schemas) and evaluates an outcome. */
export async function judgeStep(
  step: Step,
  outcome: StepOutcome,
  engine: Pick<Engine, "folders" | "workflows" | "worktrees" | "platform" | "lostSession">,
  report: (event: Event) => void = () => undefined,
): Promise<Decision> {
  const { folders, workflows, lostSession } = engine;
  const parsed = parseOutput(step, outcome);
  const found = new Map<string, string>();
  for (const cd of parsed.folders) {
    const folder = await folders.find(step.cwd, cd);
    if (folder !== null) found.set(cd, folder);
  }
  // A step may take hours in which the workflow is edited. A transition refers to the states that
  // exist when it is emitted.
  const { workflow } = step.agent;
  const names = await workflows
    .scope(workflow)
    .names()
    .catch(() => step.names);
  const circumstances = {
    folders: found,
    workflows: await findWorkflows(parsed.workflows, workflow, workflows),
    schemas: await findSchemas(parsed.schemas, step.settings, workflows, report),
    lostSession,
  };
  const worktrees = await findPlaces(step, parsed.starts, circumstances, engine);
  return decide({ ...step, names }, outcome, { ...circumstances, worktrees }, parsed);
}
