import type { Address } from "../protocol/address.ts";
import type { Fault } from "../protocol/fault.ts";
import type { Crossing, Data } from "../protocol/transition.ts";
import { type Manifest, varProblem } from "./manifest.ts";

/** What the path of another workflow means: where an agent begins there, or why it cannot. */
export type FoundWorkflow =
  | {
      readonly ok: true;
      readonly entry: Address;
      /** What the workflow says that it takes. */
      readonly takes: Pick<Manifest, "input" | "vars">;
    }
  | { readonly ok: false; readonly fault: Fault };

/** By the paths as they are written; one that nobody has looked up is not in it. */
export type FoundWorkflows = ReadonlyMap<string, FoundWorkflow>;

export const NONE_FOUND: FoundWorkflows = new Map();

/**
 * Why a workflow cannot be entered with these variables, as a sentence; `null`
 * where it can. What it has a default for need not be there.
 */
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
      return `The workflow ${path} requires ${name}${means}, and there is no such variable.`;
    }
    const problem = value === undefined ? null : varProblem(declared, value);
    if (problem !== null) return `For the workflow ${path}, ${problem}`;
  }
  return null;
}

/** Why a workflow cannot be entered by this transition; `null` where it can. */
export function entryProblem(
  transition: Crossing,
  { input, vars }: Pick<Manifest, "input" | "vars">,
  agent: Data,
): Fault | null {
  const given = "attributes" in transition ? transition.attributes : agent;
  const problem =
    variablesProblem(transition.path, { vars }, given) ??
    (input?.required === true && transition.input === undefined
      ? `The workflow ${transition.path} requires an input: give it by the attribute input.`
      : null);
  return problem === null ? null : { code: "bad-workflow", message: problem };
}
