import type { Address } from "../../protocol/address.ts";
import type { Fault, OrFault } from "../../protocol/fault.ts";
import type { Data, WorkflowTransition } from "../../protocol/transition.ts";
import { type Manifest, varProblem } from "./manifest.ts";

/** The entry state of another workflow, or why it cannot be entered. */
export type ResolvedWorkflow = OrFault<{
  readonly entry: Address;
  readonly parameters: Pick<Manifest, "input" | "vars">;
}>;

/** By path as written. Paths that were not resolved are absent. */
export type ResolvedWorkflows = ReadonlyMap<string, ResolvedWorkflow>;

export const NO_WORKFLOWS: ResolvedWorkflows = new Map();

/** Why a workflow cannot be entered with these variables, as a sentence; null if it can. */
export function variablesProblem(
  path: string,
  { vars }: Pick<Manifest, "vars">,
  given: Data,
): string | null {
  for (const declared of vars) {
    const { name, required, description } = declared;
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined && required) {
      const means = description === null ? "" : ` (${description})`;
      return `The workflow ${path} requires the variable ${name}${means}, which is not set.`;
    }
    const problem = value === undefined ? null : varProblem(declared, value);
    if (problem !== null) return `For the workflow ${path}, ${problem}`;
  }
  return null;
}

/** Why a workflow cannot be entered by this transition; null if it can. */
export function entryProblem(
  transition: WorkflowTransition,
  { input, vars }: Pick<Manifest, "input" | "vars">,
  agent: Data,
): Fault | null {
  const given = "attributes" in transition ? transition.attributes : agent;
  const problem =
    variablesProblem(transition.path, { vars }, given) ??
    (input?.required === true && transition.input === undefined
      ? `The workflow ${transition.path} requires an input: add the attribute input.`
      : null);
  return problem === null ? null : { code: "bad-workflow", message: problem };
}
