import { BASE_VARIABLES } from "../../language/workflow/policy/base-variables.ts";
import {
  type DeclaredEnvironment,
  matchesVariable,
} from "../../language/workflow/policy/declared-environment.ts";
import type { RunSettings } from "../model/run-state.ts";

/** The environment of the processes of a step, without the variables that raymond adds. */
export interface StepEnvironment {
  readonly kind: "prompt" | "script";
  /** Names and `PREFIX_*` of variables that are passed besides the base variables; null: all. */
  readonly pass: readonly string[] | null;
  readonly set: Readonly<Record<string, string>>;
  /** Names and `PREFIX_*` of variables whose values are redacted. */
  readonly secret: readonly string[];
}

export type EnvironmentSettings = Pick<RunSettings, "envPass" | "envSet" | "envSecret">;

/**
 * The environment of a state (docs/environment.md, "Rules"). The `pass` of the user is a limit for
 * all steps; that of the state, or else of its workflow, narrows it. Without any `pass`, scripts
 * receive everything and prompts only the base variables. A variable that the user sets keeps the
 * value of the user.
 */
export function stepEnvironment(
  kind: StepEnvironment["kind"],
  { envPass, envSet, envSecret }: EnvironmentSettings,
  workflow: DeclaredEnvironment,
  state: DeclaredEnvironment,
): StepEnvironment {
  const own = state.pass ?? workflow.pass;
  return {
    kind,
    pass: narrowed(envPass, own) ?? (kind === "prompt" ? [] : null),
    set: { ...workflow.set, ...state.set, ...envSet },
    secret: [...new Set([...envSecret, ...workflow.secret, ...state.secret])],
  };
}

/** The variables that both lists match; null: no list. */
function narrowed(
  limit: readonly string[] | null,
  own: readonly string[] | null,
): readonly string[] | null {
  if (limit === null || own === null) return limit ?? own;
  const both = own.flatMap((one) =>
    limit.flatMap((other) => (covers(other, one) ? one : covers(one, other) ? other : [])),
  );
  return [...new Set(both)];
}

/** Whether every name that `one` matches is matched by `pattern`. */
function covers(pattern: string, one: string): boolean {
  return pattern.endsWith("*") ? one.startsWith(pattern.slice(0, -1)) : one === pattern;
}

/**
 * Whether a variable of the launcher is passed to a step. `ofAgent`: names and `PREFIX_*` that the coding
 * agent of a prompt needs. `ignoreCase`: as Windows compares names.
 */
export function variableFilter(
  { kind, pass }: Pick<StepEnvironment, "kind" | "pass">,
  ofAgent: readonly string[],
  ignoreCase: boolean,
): (name: string) => boolean {
  const base = kind === "prompt" ? [...BASE_VARIABLES, ...ofAgent] : BASE_VARIABLES;
  return (name) =>
    pass === null ||
    matchesVariable(pass, name, ignoreCase) ||
    matchesVariable(base, name, ignoreCase);
}
