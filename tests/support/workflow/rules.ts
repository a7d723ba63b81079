import type { StateName, Transition } from "../../../src/language/protocol/transition.ts";
import type { Platform } from "../../../src/language/workflow/files/platform.ts";
import { matchingRule, type Rules } from "../../../src/language/workflow/policy/policy.ts";

/** Whether the rules of a state allow a transition with resolved names. */
export function allows(
  rules: Rules,
  transition: Transition,
  names: readonly StateName[],
  platform: Platform,
): boolean {
  return rules === null || matchingRule(rules, transition, names, platform) !== null;
}
