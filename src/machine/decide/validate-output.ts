import { counted } from "../../language/basics/counted.ts";
import type { Fault, OrFault } from "../../language/protocol/fault.ts";
import {
  continuationFault,
  continuationOf,
  joinFaults,
  type OutputElement,
  startsOf,
} from "../../language/protocol/output-elements.ts";
import { printTransition } from "../../language/protocol/print.ts";
import { excerpt } from "../../language/protocol/scan/excerpt.ts";
import {
  isStart,
  isWorkflowTransition,
  type Transition,
} from "../../language/protocol/transition.ts";
import {
  entryProblem,
  type ResolvedWorkflows,
} from "../../language/workflow/files/found-workflow.ts";
import { completeByRule, matchingRule, type Rules } from "../../language/workflow/policy/policy.ts";
import type { Rule } from "../../language/workflow/policy/rule.ts";
import { batchFault, resolveState, resolveTransition } from "../../language/workflow/resolve.ts";
import type { Agent } from "../model/agent.ts";
import type { GateCheck } from "../model/gate.ts";
import { checkPayload, type ResolvedSchemas } from "./check-payload.ts";
import type { DecisionContext } from "./decision.ts";
import { settlePlace } from "./settle-place.ts";
import type { Step } from "./step.ts";
import { stepValues } from "./step-values.ts";

export type ValidatedOutput = OrFault<{
  readonly transitions: readonly Transition[];
  readonly checks: readonly GateCheck[];
}>;

/**
 * Resolves the names of each element, checks it against the rules, and inserts absolute folders and
 * entry states of workflows. If any element is faulty none is applied, and the fault names all
 * (docs/protocol.md, "Number of tags").
 */
export function validateOutput(
  items: readonly OutputElement[],
  step: Step,
  circumstances: Pick<DecisionContext, "folders" | "workflows" | "schemas" | "worktrees">,
): ValidatedOutput {
  const rules = step.file.kind === "prompt" ? step.file.rules : null;
  const resolved = items.map((item) => resolveItem(item, step));
  // Rules for fork can depend on the next state of the agent.
  const known = transitionsOf(resolved);
  const lost = continuationFault(known);
  const next = lost === null ? nextOf(known) : undefined;
  const checks = new Map<string, GateCheck>();
  const judged = resolved.map((item) => {
    if (lost !== null && isStartItem(item)) return settle(item, step, circumstances);
    const allowed = allowItem(item, rules, next, step);
    const check = allowed.rule === null ? null : checkOf(allowed.rule, step);
    // Each gate runs once per output.
    if (check !== null && !checks.has(check.state)) checks.set(check.state, check);
    const checked = checkPayload(allowed.item, allowed.rule, step, circumstances.schemas ?? NONE);
    return settle(checked, step, circumstances);
  });
  const transitions = transitionsOf(judged);
  const fault = joinFaults(judged) ?? lost ?? minFault(transitions, step.agent);
  if (fault !== null) return { ok: false, fault };
  return { ok: true, transitions, checks: [...checks.values()] };
}

const NONE: ResolvedSchemas = new Map();

/** A join whose `min` exceeds the number of workers would wait forever. */
function minFault(transitions: readonly Transition[], { forked }: Agent): Fault | null {
  const way = continuationOf(transitions);
  if (way.tag !== "join" || way.min === undefined) return null;
  const all = forked.length + startsOf(transitions).length;
  if (Number(way.min) <= all) return null;
  const there = `${all === 1 ? "is" : "are"} ${counted(all, "worker")}`;
  const message = `<join> has min="${way.min}", but there ${there} to wait for. Fork more, or reduce min.`;
  return { code: "malformed-tag", message };
}

function resolveItem(item: OutputElement, { names, platform }: Step): OutputElement {
  if (!item.ok) return item;
  const resolved = resolveTransition(item.transition, names, platform);
  return { ...resolved, shown: item.shown };
}

/** The gate of a rule. Its names are already checked. */
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
  item: OutputElement,
  rules: Rules,
  next: string | undefined,
  step: Step,
): { readonly item: OutputElement; readonly rule: Rule | null } {
  if (!item.ok) return { item, rule: null };
  const { transition, shown } = item;
  if (rules === null) {
    const chosen = isWorkflowTransition(transition) && step.file.kind === "prompt";
    return { item: chosen ? { ok: false, shown, fault: UNRULED } : item, rule: null };
  }
  const asked = isStart(transition) && next !== undefined ? { ...transition, next } : transition;
  const rule = matchingRule(rules, asked, step.names, step.platform);
  if (rule === null) {
    const message = `The transition ${excerpt(printTransition(transition))} is not allowed in this state.`;
    return { item: { ok: false, shown, fault: { code: "not-allowed", message } }, rule };
  }
  const completed = completeByRule(transition, rule, stepValues(step));
  return { item: { ...item, transition: completed }, rule };
}

/** A model must not choose which code runs. */
const UNRULED: Fault = {
  code: "not-allowed",
  message: "A prompt may enter another workflow only if a rule of its state names the path.",
};

function settle(
  item: OutputElement,
  step: Step,
  { folders, workflows, worktrees }: Pick<DecisionContext, "folders" | "workflows" | "worktrees">,
): OutputElement {
  const settled = settleEntry(settleFolder(item, folders), step, workflows);
  return settlePlace(settled, step, worktrees);
}

function settleEntry(
  item: OutputElement,
  { agent }: Step,
  workflows: ResolvedWorkflows,
): OutputElement {
  if (!item.ok || !isWorkflowTransition(item.transition)) return item;
  const { transition, shown } = item;
  const found = workflows.get(transition.path);
  if (found === undefined) throw new Error(`the workflow path ${transition.path} is not resolved`);
  if (!found.ok) return { ok: false, shown, fault: found.fault };
  const fault =
    entryProblem(transition, found.parameters, agent.attributes) ??
    ("attributes" in transition ? batchFault(found.entry.state, transition.attributes) : null);
  if (fault !== null) return { ok: false, shown, fault };
  return { ...item, transition: { ...transition, entry: found.entry } };
}

function settleFolder(item: OutputElement, folders: ReadonlyMap<string, string>): OutputElement {
  if (!item.ok) return item;
  const { transition, shown } = item;
  if (!("cd" in transition)) return item;
  const folder = folders.get(transition.cd);
  if (folder !== undefined) return { ...item, transition: { ...transition, cd: folder } };
  const message = `The cd folder does not exist: ${transition.cd}`;
  return { ok: false, shown, fault: { code: "bad-cd", message } };
}

/** The next state of the agent, given by next or by goto. */
function nextOf(transitions: readonly Transition[]): string | undefined {
  const way = continuationOf(transitions);
  return way.tag === "goto" ? way.target : undefined;
}

function isStartItem(item: OutputElement): boolean {
  return item.ok && isStart(item.transition);
}

function transitionsOf(items: readonly OutputElement[]): readonly Transition[] {
  return items.flatMap((item) => (item.ok ? [item.transition] : []));
}
