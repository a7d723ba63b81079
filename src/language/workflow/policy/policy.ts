import type { Fault } from "../../protocol/fault.ts";
import {
  attributesOf,
  isText,
  partsOf,
  transitionOf,
  type Values,
  valueIn,
} from "../../protocol/parts.ts";
import { printTransition } from "../../protocol/print.ts";
import { TAG_TABLE } from "../../protocol/tag-table.ts";
import {
  type Data,
  type Part,
  type StateName,
  TAGS,
  type TextField,
  type Transition,
} from "../../protocol/transition.ts";
import { NO_WORKFLOWS, type ResolvedWorkflows, variablesProblem } from "../files/found-workflow.ts";
import type { Platform } from "../files/platform.ts";
import { type FileProblem, type StateProblem, stateKind } from "../files/state-file.ts";
import { quoted } from "../quote.ts";
import { batchFault, resolveState, ruleOfFault } from "../resolve.ts";
import { fillTemplate } from "../template.ts";
import type { Rule } from "./rule.ts";
import { checkedPart } from "./schema-name.ts";

/** The rules of a state; null: it declares none, and everything is allowed. */
export type Rules = readonly Rule[] | null;

/**
 * The first rule that matches a transition with resolved names; null if none does (docs/protocol.md,
 * "Rules and implied transitions").
 */
export function matchingRule(
  rules: readonly Rule[],
  transition: Transition,
  names: readonly StateName[],
  platform: Platform,
): Rule | null {
  const same = (written: string | undefined, resolved: StateName): boolean => {
    if (written === undefined) return true;
    const resolution = resolveState(names, written, platform);
    return resolution.ok && resolution.name === resolved;
  };

  return rules.find((rule) => matches(transition, rule, same)) ?? null;
}

/**
 * Adds the texts of the rule: its payload, and its `input` and `worktree` if the tag has none, filled with the
 * values of the step.
 */
export function completeByRule(
  transition: Transition,
  rule: Rule,
  values: Readonly<Record<string, string>>,
): Transition {
  const [content, ...own] = partsOf(transition.tag);
  const texts: { [F in TextField]?: string } = {};
  if (content.holds === "text") {
    const payload = rule[content.field];
    if (payload !== undefined) texts[content.field] = payload;
  }
  for (const part of own) {
    if (!isText(part) || valueIn(transition, part) !== undefined) continue;
    const template = rule[part.field];
    if (template !== undefined) texts[part.field] = fillTemplate(template, values);
  }
  return { ...transition, ...texts };
}

function matches(
  transition: Transition,
  rule: Rule,
  same: (written: string | undefined, resolved: StateName) => boolean,
): boolean {
  if (rule.tag !== transition.tag) return false;
  const parts = partsOf(rule.tag).every((part) => {
    const value = valueIn(transition, part) ?? "";
    if (part.holds === "state") return same(rule[part.field], value);
    if (part.holds === "workflow") return rule[part.field] === value;
    const payload = part === TAG_TABLE[rule.tag].content ? ruled(rule, part) : undefined;
    return payload === undefined || payload.trim() === value.trim();
  });
  return parts && (!TAG_TABLE[rule.tag].startsAgent || hasAttributes(transition, rule));
}

function hasAttributes(transition: Transition, rule: Rule): boolean {
  const present = new Map(attributesOf(transition));
  return Object.entries(rule.attributes).every(([name, value]) => {
    return value === "" ? present.has(name) : present.get(name) === value;
  });
}

/**
 * The transition of an output without a tag: that of a single complete rule. Names are unresolved;
 * {@link completeByRule} adds the texts.
 */
export function impliedTransition(rules: Rules): Transition | null {
  if (rules?.length !== 1) return null;
  const [rule] = rules;
  return rule === undefined || !isComplete(rule) ? null : transitionOfRule(rule);
}

/** Whether a rule determines its transition completely. */
export function isComplete(rule: Rule): boolean {
  if (Object.values(rule.attributes).includes("") || asksForInput(rule)) return false;
  return partsOf(rule.tag).every(
    (part) => part.required === false || ruled(rule, part) !== undefined,
  );
}

/** Whether the tag must have an `input` that a schema checks. */
function asksForInput({ tag, schema, input }: Rule): boolean {
  return schema !== undefined && checkedPart(tag) === "input" && input === undefined;
}

/** The value of a rule for a part; empty: any value, undefined: not mentioned. */
function ruled(rule: Rule, part: Part): string | undefined {
  if (part.holds === "state" || part.holds === "workflow" || isText(part)) {
    return rule[part.field];
  }
  return Object.hasOwn(rule.attributes, part.name) ? rule.attributes[part.name] : undefined;
}

/**
 * Why a rule can never match in this workflow; null if every rule can. Checked before the step costs
 * anything. Only resolved workflows are checked.
 */
export function ruleProblem(
  rules: Rules,
  names: readonly StateName[],
  platform: Platform,
  workflows: ResolvedWorkflows = NO_WORKFLOWS,
): StateProblem | null {
  for (const rule of rules ?? []) {
    const problem = unmatchable(rule, names, platform) ?? workflowProblem(rule, workflows);
    if (problem === null) continue;
    return {
      rule: problem.rule,
      at: rule.at,
      message: `The rule ${printTransition(transitionOfRule(rule))} in allowed_transitions can never match. ${problem.message}`,
      hint: `Correct the rule, or add the ${rule.path === undefined ? "state" : "state or workflow"} that it names.`,
    };
  }
  return null;
}

type Unmatchable = Pick<StateProblem, "rule" | "message">;

function unmatchable(
  rule: Rule,
  names: readonly StateName[],
  platform: Platform,
): Unmatchable | null {
  for (const part of partsOf(rule.tag)) {
    const written = part.holds === "state" ? rule[part.field] : undefined;
    if (written === undefined) continue;
    const resolution = resolveState(names, written, platform);
    if (!resolution.ok) return problemOf(resolution.fault);
    if (part !== TAG_TABLE[rule.tag].content) continue;
    const fault = batchFault(resolution.name, workerData(rule));
    if (fault !== null) return problemOf(fault);
  }
  return gateProblem(rule, names, platform);
}

function problemOf(fault: Fault, where = ""): Unmatchable {
  return { rule: ruleOfFault(fault), message: `${where}${fault.message}` };
}

function workflowProblem({ path }: Rule, workflows: ResolvedWorkflows): Unmatchable | null {
  const found = path === undefined ? undefined : workflows.get(path);
  return found === undefined || found.ok ? null : problemOf(found.fault);
}

/**
 * Why an agent with these variables cannot call a workflow of these rules; null if it can. A called
 * workflow gets only the variables of the agent.
 */
export function calledWorkflowProblem(
  rules: Rules,
  workflows: ResolvedWorkflows,
  variables: Data,
): FileProblem | null {
  for (const { tag, path, at } of rules ?? []) {
    const found = path === undefined ? undefined : workflows.get(path);
    if (path === undefined || found?.ok !== true || TAG_TABLE[tag].startsAgent) continue;
    const message = variablesProblem(path, found.parameters, variables);
    if (message === null) continue;
    const hint = "Pass it with --var, or as an attribute of the fork that starts this agent.";
    return { at, message, hint };
  }
  return null;
}

export function workflowPathsOf(rules: Rules): readonly string[] {
  return [...new Set((rules ?? []).flatMap(({ path }) => path ?? []))];
}

/** Why `verify` or `on_fail` of a rule is invalid; null if both are valid. */
function gateProblem(
  { verify }: Rule,
  names: readonly StateName[],
  platform: Platform,
): Unmatchable | null {
  if (verify === undefined) return null;
  const gate = resolveState(names, verify.state, platform);
  if (!gate.ok) return problemOf(gate.fault, "Invalid verify: ");
  if (stateKind(gate.name) === "prompt") {
    return {
      rule: "RAY204",
      message: `Invalid verify: ${quoted(gate.name)} is a prompt, and a gate must be a script.`,
    };
  }
  if (verify.onFail === null) return null;
  const onward = resolveState(names, verify.onFail, platform);
  return onward.ok ? null : problemOf(onward.fault, "Invalid on_fail: ");
}

/** Names of data attributes that rules declare for workers. */
export function declaredData(rules: Rules): readonly string[] {
  return (rules ?? []).flatMap((rule) =>
    TAG_TABLE[rule.tag].startsAgent ? Object.keys(workerData(rule)) : [],
  );
}

/** The data attributes of a rule: all but those of the tag. */
function workerData(rule: Rule): Data {
  const own = new Set<string>(partsOf(rule.tag).map(({ name }) => name));
  return Object.fromEntries(Object.entries(rule.attributes).filter(([name]) => !own.has(name)));
}

/**
 * The allowed transitions as tags for a reminder, with placeholders for open parts: `STATE`, `FOLDER`,
 * `VALUE`, `your result`.
 */
export function printRules(rules: Rules): readonly string[] {
  return (rules ?? []).map((rule) => printTransition(transitionOfRule(rule)));
}

/** The transition of a rule, with placeholders for open parts. */
export function transitionOfRule(rule: Rule): Transition {
  const values: { -readonly [F in keyof Values]: Values[F] } = {};
  for (const part of partsOf(rule.tag)) {
    const value = ruled(rule, part);
    // The model does not write texts that the rule adds.
    if (isText(part) && !part.required) continue;
    if (isText(part)) values[part.field] = value ?? part.open;
    else if (value !== undefined || part.required !== false)
      values[part.field] = value || part.open;
  }
  if (asksForInput(rule)) values.input = OPEN_INPUT;
  const data = Object.entries(workerData(rule));
  const filled = data.map(([name, value]) => [name, value || OPEN_DATA] as const);
  return transitionOf(rule.tag, values, Object.fromEntries(filled));
}

const OPEN_DATA = "VALUE";
const OPEN_INPUT = "JSON";

/** What a model must write as JSON by the schemas of these rules, one sentence for each kind. */
export function explainSchemas(rules: readonly Rule[]): readonly string[] {
  const sentences = rules.flatMap((rule) => {
    const { tag, schema } = rule;
    if (schema === undefined) return [];
    if (checkedPart(tag) === "result") return [`The result must be JSON that matches ${schema}.`];
    if (!asksForInput(rule)) return [];
    return [
      `Replace ${OPEN_INPUT} in <${tag}> with JSON that matches ${schema}, in single quotes.`,
    ];
  });
  return [...new Set(sentences)];
}

export function explainPlaceholders(): string {
  // A rule always has its path.
  const shown = (part: Part) =>
    part.holds !== "workflow" && (part.required !== false || part.holds === "folder");
  const parts = TAGS.flatMap((tag) => partsOf(tag).filter(shown));
  const open = [...new Set(parts.map((part) => part.open))];
  const names = [...open.filter(isName), OPEN_DATA].join(", ");
  const words = open.filter((one) => !isName(one)).map((one) => `"${one}"`);
  return `${names} and ${words.join(", ")} are placeholders: replace them.`;
}

function isName(placeholder: string): boolean {
  return /^[A-Z]+$/.test(placeholder);
}
