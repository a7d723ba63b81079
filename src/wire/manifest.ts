import type { PartialSettings } from "../config/settings.ts";
import { placeText } from "../language/basics/place.ts";
import { type Manifest, varProblem } from "../language/workflow/files/manifest.ts";
import type { LocatedWorkflow } from "../scopes/open.ts";
import { wireErrors } from "./errors.ts";

/** They have the lowest precedence. */
export function workflowSettings({ defaults }: Manifest): PartialSettings {
  const { budget, model, effort, max_parallel: maxParallel, tools } = defaults;
  const {
    agent: agents,
    fallback_model: fallbackModel,
    max_turns: maxTurns,
    on_denied: onDenied,
  } = defaults;
  return {
    ...(agents === undefined ? {} : { agents }),
    ...(budget === undefined ? {} : { budgetMicroUsd: budget }),
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(maxParallel === undefined ? {} : { maxParallel }),
    ...(tools === undefined ? {} : { tools }),
    ...(fallbackModel === undefined ? {} : { fallbackModel }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(onDenied === undefined ? {} : { onDenied }),
  };
}

/**
 * The given variables and the defaults of the others. Throws if a required one is missing, or if a
 * value is invalid.
 */
export function workflowVariables(
  { vars }: Manifest,
  given: Readonly<Record<string, string>>,
  { path }: Pick<LocatedWorkflow, "path">,
): Readonly<Record<string, string>> {
  const missing = vars.filter(({ name, required }) => required && !Object.hasOwn(given, name));
  if (missing.length > 0) throw wireErrors["run/missing-var"](path, missing);
  const unfit = vars.flatMap((one) => {
    const value = Object.hasOwn(given, one.name) ? given[one.name] : undefined;
    return value === undefined ? [] : (varProblem(one, value) ?? []);
  });
  const [problem] = unfit;
  if (problem !== undefined) throw wireErrors["run/unfit-var"](problem, path);
  const defaults = vars.flatMap(({ name, default: value }) =>
    value === null ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(defaults), ...given };
}

/** Throws if a required `--input` is missing. */
export function requireInput(
  { input }: Manifest,
  given: unknown,
  { path }: Pick<LocatedWorkflow, "path">,
) {
  if (input?.required !== true || given !== undefined) return;
  throw wireErrors["run/missing-input"](path, input.description);
}

export function manifestWarnings({ warnings }: Manifest, manifestPath: string): readonly string[] {
  return warnings.map(({ line, message }) => `${placeText(manifestPath, { line })}: ${message}`);
}
