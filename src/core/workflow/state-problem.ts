import type { StateName } from "../protocol/transition.ts";
import type { Platform } from "./platform.ts";
import { ruleProblem } from "./policy.ts";
import { resolveState } from "./resolve.ts";
import type { StateFile } from "./state-file.ts";

/**
 * Why a state cannot do in this workflow what its author has declared, as a
 * sentence: an empty prompt, a rule that could never be met, an `on_error` that leads nowhere.
 * `null` where all is well. Asked before the step is executed (spec 1.5).
 */
export function stateProblem(
  file: StateFile,
  names: readonly StateName[],
  platform: Platform,
): string | null {
  if (file.kind === "prompt") return ruleProblem(file.rules, names, platform);
  if (file.onError === null) return null;
  const target = resolveState(names, file.onError, platform);
  if (target.ok) return null;
  return `The directive on_error=${file.onError} leads nowhere. ${target.fault.message}`;
}
