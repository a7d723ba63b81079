import type { StateName, Transition } from "../../src/core/protocol/transition.ts";
import type { Platform } from "../../src/core/workflow/platform.ts";
import { matchingRule, type Rules } from "../../src/core/workflow/policy.ts";

/** Whether the rules of a state, if it has any, allow a transition whose names are resolved. */
export function allows(
  rules: Rules,
  transition: Transition,
  names: readonly StateName[],
  platform: Platform,
): boolean {
  return rules === null || matchingRule(rules, transition, names, platform) !== null;
}
