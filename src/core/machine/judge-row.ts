import { counted } from "../counted.ts";
import { excerpt } from "../protocol/excerpt.ts";
import type { Fault } from "../protocol/fault.ts";
import { printTransition } from "../protocol/print.ts";
import { joinFaults, type RowItem, startsOf, wayFault, wayOf } from "../protocol/row.ts";
import { isCrossing, isStart, type Transition } from "../protocol/transition.ts";
import { entryProblem, type FoundWorkflows } from "../workflow/found-workflow.ts";
import { completeByRule, matchingRule, type Rules } from "../workflow/policy.ts";
import { batchFault, resolveState, resolveTransition } from "../workflow/resolve.ts";
import type { Rule } from "../workflow/rule.ts";
import type { Agent } from "./agent.ts";
import type { Circumstances } from "./decision.ts";
import type { GateCheck } from "./gate.ts";
import type { Step } from "./step.ts";
import { stepValues } from "./step-values.ts";

/** The transitions of an output as they are applied, with the gates before them, or all that is wrong with them. */
export type JudgedRow =
  | {
      readonly ok: true;
      readonly transitions: readonly Transition[];
      readonly checks: readonly GateCheck[];
    }
  | { readonly ok: false; readonly fault: Fault };

/**
 * Looks up the names of each element, holds each to the rules by itself, and puts
 * in what was found: the folder in place of `cd`, and where a path leads. If one of them is faulty none is
 * applied, and the fault names all (docs/protocol.md, "How many").
 */
export function judgeRow(
  items: readonly RowItem[],
  step: Step,
  circumstances: Pick<Circumstances, "folders" | "workflows">,
): JudgedRow {
  const rules = step.file.kind === "prompt" ? step.file.rules : null;
  const resolved = items.map((item) => resolveItem(item, step));
  // Rules may ask where the agent goes, so that must be known first.
  const known = transitionsOf(resolved);
  const lost = wayFault(known);
  const next = lost === null ? nextOf(known) : undefined;
  const checks = new Map<string, GateCheck>();
  const judged = resolved.map((item) => {
    if (lost !== null && isStartItem(item)) return settle(item, step, circumstances);
    const allowed = allowItem(item, rules, next, step);
    const check = allowed.rule === null ? null : checkOf(allowed.rule, step);
    // One gate looks once at all that waits for it.
    if (check !== null && !checks.has(check.state)) checks.set(check.state, check);
    return settle(allowed.item, step, circumstances);
  });
  const transitions = transitionsOf(judged);
  const fault = joinFaults(judged) ?? lost ?? minFault(transitions, step.agent);
  if (fault !== null) return { ok: false, fault };
  return { ok: true, transitions, checks: [...checks.values()] };
}

/** Why a join could not come to its `min`: more workers than there are would never end. */
function minFault(transitions: readonly Transition[], { forked }: Agent): Fault | null {
  const way = wayOf(transitions);
  if (way.tag !== "join" || way.min === undefined) return null;
  const all = forked.length + startsOf(transitions).length;
  if (Number(way.min) <= all) return null;
  const there = `${all === 1 ? "is" : "are"} ${counted(all, "worker")}`;
  const message = `<join> has min="${way.min}", and there ${there} to wait for: fork more, in this reply or before, or ask for fewer.`;
  return { code: "malformed-tag", message };
}

function resolveItem(item: RowItem, { names, platform }: Step): RowItem {
  if (!item.ok) return item;
  const resolved = resolveTransition(item.transition, names, platform);
  return { ...resolved, shown: item.shown };
}

/** The gate that a rule names. Its names were looked up before the rule was judged by. */
function checkOf({ verify }: Rule, { names, platform }: Step): GateCheck | null {
  if (verify === undefined) return null;
  const found = (name: string) => {
    const resolution = resolveState(names, name, platform);
    return resolution.ok ? resolution.name : name;
  };
  const { state, attempts, onFail } = verify;
  return { state: found(state), attempts, onFail: onFail === null ? null : found(onFail) };
}

function allowItem(
  item: RowItem,
  rules: Rules,
  next: string | undefined,
  step: Step,
): { readonly item: RowItem; readonly rule: Rule | null } {
  if (!item.ok) return { item, rule: null };
  const { transition, shown } = item;
  if (rules === null) {
    const chosen = isCrossing(transition) && step.file.kind === "prompt";
    return { item: chosen ? { ok: false, shown, fault: UNRULED } : item, rule: null };
  }
  const asked = isStart(transition) && next !== undefined ? { ...transition, next } : transition;
  const rule = matchingRule(rules, asked, step.names, step.platform);
  if (rule === null) {
    const message = `The transition ${excerpt(printTransition(transition))} is not one that this state allows.`;
    return { item: { ok: false, shown, fault: { code: "not-allowed", message } }, rule };
  }
  const completed = completeByRule(transition, rule, stepValues(step));
  return { item: { ...item, transition: completed }, rule };
}

/** A model does not choose what code runs. */
const UNRULED: Fault = {
  code: "not-allowed",
  message: "A prompt may enter another workflow only where a rule of its state names its path.",
};

function settle(
  item: RowItem,
  step: Step,
  { folders, workflows }: Pick<Circumstances, "folders" | "workflows">,
): RowItem {
  return settleEntry(settleFolder(item, folders), step, workflows);
}

function settleEntry(item: RowItem, { agent }: Step, workflows: FoundWorkflows): RowItem {
  if (!item.ok || !isCrossing(item.transition)) return item;
  const { transition, shown } = item;
  const found = workflows.get(transition.path);
  if (found === undefined) throw new Error(`nobody has looked where ${transition.path} leads`);
  if (!found.ok) return { ok: false, shown, fault: found.fault };
  const fault =
    entryProblem(transition, found.takes, agent.attributes) ??
    ("attributes" in transition ? batchFault(found.entry.state, transition.attributes) : null);
  if (fault !== null) return { ok: false, shown, fault };
  return { ...item, transition: { ...transition, entry: found.entry } };
}

function settleFolder(item: RowItem, folders: ReadonlyMap<string, string>): RowItem {
  if (!item.ok) return item;
  const { transition, shown } = item;
  if (!("cd" in transition)) return item;
  const folder = folders.get(transition.cd);
  if (folder !== undefined) return { ...item, transition: { ...transition, cd: folder } };
  const message = `The folder that cd names does not exist: ${transition.cd}`;
  return { ok: false, shown, fault: { code: "bad-cd", message } };
}

/** What a rule means by `next`: the state to which the agent goes on, however that was said. */
function nextOf(transitions: readonly Transition[]): string | undefined {
  const way = wayOf(transitions);
  return way.tag === "goto" ? way.target : undefined;
}

function isStartItem(item: RowItem): boolean {
  return item.ok && isStart(item.transition);
}

function transitionsOf(items: readonly RowItem[]): readonly Transition[] {
  return items.flatMap((item) => (item.ok ? [item.transition] : []));
}
