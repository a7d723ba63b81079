import { printTransition } from "../protocol/print.ts";
import type { StateName, Transition } from "../protocol/transition.ts";
import type { Platform } from "./platform.ts";
import { batchFault, resolveState } from "./resolve.ts";
import type { Rule } from "./rule.ts";
import type { FileProblem } from "./state-file.ts";

/** The rules of a state; `null` where it declares none, and everything is allowed. */
export type Rules = readonly Rule[] | null;

/**
 * Whether the rules allow a transition whose names are resolved
 * (docs/protocol.md, "Rules and implied transitions"). What a rule names must
 * denote the same state file; an attribute that a rule for `fork` names (`cd`
 * among them) must be there, with that value unless the rule's is empty. All
 * else is unconstrained.
 */
export function allows(
  rules: Rules,
  transition: Transition,
  names: readonly StateName[],
  platform: Platform,
): boolean {
  if (rules === null) return true;

  const same = (written: string | undefined, resolved: StateName): boolean => {
    if (written === undefined) return true;
    const resolution = resolveState(names, written, platform);
    return resolution.ok && resolution.name === resolved;
  };

  return rules.some((rule) => meets(transition, rule, same));
}

function meets(
  transition: Transition,
  rule: Rule,
  same: (written: string | undefined, resolved: StateName) => boolean,
): boolean {
  if (rule.tag !== transition.tag) return false;
  switch (transition.tag) {
    case "result":
      return true;
    case "goto":
    case "reset":
      return same(rule.target, transition.target);
    case "call":
    case "function":
      return same(rule.target, transition.target) && same(rule.returnTo, transition.returnTo);
    case "fork":
      return (
        same(rule.target, transition.target) &&
        same(rule.next, transition.next) &&
        hasAttributes(transition, rule)
      );
  }
}

function hasAttributes(fork: Extract<Transition, { tag: "fork" }>, rule: Rule): boolean {
  return Object.entries(rule.attributes).every(([name, wanted]) => {
    const given =
      name === "cd"
        ? fork.cd
        : Object.hasOwn(fork.attributes, name)
          ? fork.attributes[name]
          : undefined;
    return given !== undefined && (wanted === "" || given === wanted);
  });
}

/**
 * The transition that an output without a tag means: of a single rule that is
 * not `result` and leaves nothing open. Names are as written.
 */
export function impliedTransition(rules: Rules): Transition | null {
  if (rules?.length !== 1) return null;
  const [rule] = rules;
  return rule === undefined || rule.tag === "result" || !isComplete(rule)
    ? null
    : transitionOf(rule);
}

/** Whether a rule leaves its transition no choice; a `result` always has its payload open. */
export function isComplete(rule: Rule): boolean {
  if (Object.values(rule.attributes).includes("")) return false;
  switch (rule.tag) {
    case "result":
      return false;
    case "goto":
    case "reset":
      return rule.target !== undefined;
    case "call":
    case "function":
      return rule.target !== undefined && rule.returnTo !== undefined;
    case "fork":
      return rule.target !== undefined && rule.next !== undefined;
  }
}

/**
 * Why a rule could never be met in this workflow; `null` where each can. It is
 * the author's to correct, and asked before the step is paid for.
 */
export function ruleProblem(
  rules: Rules,
  names: readonly StateName[],
  platform: Platform,
): FileProblem | null {
  for (const rule of rules ?? []) {
    const problem = unmeetable(rule, names, platform);
    if (problem === null) continue;
    return {
      at: rule.at,
      message: `The rule ${printTransition(transitionOf(rule))} in allowed_transitions cannot be met. ${problem}`,
      hint: "Mend the rule in this line, or add the state that it names.",
    };
  }
  return null;
}

function unmeetable(rule: Rule, names: readonly StateName[], platform: Platform): string | null {
  for (const written of [rule.target, rule.returnTo, rule.next]) {
    if (written === undefined) continue;
    const resolution = resolveState(names, written, platform);
    if (!resolution.ok) return resolution.fault.message;
    if (written !== rule.target) continue;
    const fault = batchFault(resolution.name, workerAttributes(rule));
    if (fault !== null) return fault.message;
  }
  return null;
}

/** What a rule for `fork` says of the worker's data: all its attributes but `cd`. */
function workerAttributes(rule: Rule): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(rule.attributes).filter(([name]) => name !== "cd"));
}

/**
 * The allowed transitions as complete tags, one a rule, for a reminder. Where a
 * rule leaves something open stands a placeholder: `STATE`, `FOLDER`, `VALUE`,
 * `your result`.
 */
export function printRules(rules: Rules): readonly string[] {
  return (rules ?? []).map((rule) => printTransition(transitionOf(rule)));
}

/** The transition of a rule, with placeholders for what it leaves open. */
function transitionOf(rule: Rule): Transition {
  const { tag, target = "STATE", returnTo = "STATE", next = "STATE" } = rule;
  const { cd: folder } = rule.attributes;
  const cd = folder === undefined ? {} : { cd: folder || "FOLDER" };
  switch (tag) {
    case "goto":
      return { tag, target };
    case "reset":
      return { tag, target, ...cd };
    case "call":
    case "function":
      return { tag, target, returnTo };
    case "fork": {
      const data = Object.entries(workerAttributes(rule));
      const attributes = Object.fromEntries(data.map(([name, value]) => [name, value || "VALUE"]));
      return { tag, target, next, ...cd, attributes };
    }
    case "result":
      return { tag, payload: "your result" };
  }
}
