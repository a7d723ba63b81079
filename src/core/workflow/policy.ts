import type { Fault } from "../protocol/fault.ts";
import { attributesOf, partsOf, transitionOf, type Values, valueIn } from "../protocol/parts.ts";
import { printTransition } from "../protocol/print.ts";
import { TAG_TABLE } from "../protocol/tag-table.ts";
import {
  type Data,
  type Part,
  type StateName,
  TAGS,
  type Transition,
} from "../protocol/transition.ts";
import { type FoundWorkflows, NONE_FOUND, variablesProblem } from "./found-workflow.ts";
import type { Platform } from "./platform.ts";
import { quoted } from "./quote.ts";
import { batchFault, resolveState, ruleOfFault } from "./resolve.ts";
import type { Rule, RuledTexts } from "./rule.ts";
import { type FileProblem, type StateProblem, stateKind } from "./state-file.ts";
import { fillTemplate } from "./template.ts";

/** The rules of a state; `null` where it declares none, and everything is allowed. */
export type Rules = readonly Rule[] | null;

/**
 * The first rule that a transition with resolved names matches, `null` where
 * none does (docs/protocol.md, "Rules and implied transitions"). What a rule
 * names must denote the same state file; the path of a workflow must be written
 * as the rule writes it; a payload that it names must be that text, blanks at its
 * ends aside; an attribute that a rule for `fork` names
 * (`cd` among them) must be there, with that value unless the rule's is empty.
 * All else is unconstrained.
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

  return rules.find((rule) => meets(transition, rule, same)) ?? null;
}

/**
 * The transition with the texts that its rule gives: the payload as the rule
 * writes it, and the rule's `input` where the tag has none, filled with the
 * values of the step.
 */
export function completeByRule(
  transition: Transition,
  rule: Rule,
  values: Readonly<Record<string, string>>,
): Transition {
  const [content, ...own] = partsOf(transition.tag);
  const given: { -readonly [F in keyof RuledTexts]: RuledTexts[F] } = {};
  if (content.holds === "text") {
    const payload = rule[content.field];
    if (payload !== undefined) given[content.field] = payload;
  }
  for (const part of own) {
    if (part.holds !== "text" || valueIn(transition, part) !== undefined) continue;
    const template = rule[part.field];
    if (template !== undefined) given[part.field] = fillTemplate(template, values);
  }
  return { ...transition, ...given };
}

function meets(
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
  return parts && (!TAG_TABLE[rule.tag].takesData || hasAttributes(transition, rule));
}

function hasAttributes(transition: Transition, rule: Rule): boolean {
  const given = new Map(attributesOf(transition));
  return Object.entries(rule.attributes).every(([name, wanted]) => {
    return wanted === "" ? given.has(name) : given.get(name) === wanted;
  });
}

/**
 * The transition that an output without a tag means: of a single rule that
 * leaves nothing open. Names are as written; texts that the rule gives are added
 * by {@link completeByRule}.
 */
export function impliedTransition(rules: Rules): Transition | null {
  if (rules?.length !== 1) return null;
  const [rule] = rules;
  return rule === undefined || !isComplete(rule) ? null : transitionOfRule(rule);
}

/** Whether a rule leaves its transition no choice. */
export function isComplete(rule: Rule): boolean {
  if (Object.values(rule.attributes).includes("")) return false;
  return partsOf(rule.tag).every(
    (part) => part.required === false || ruled(rule, part) !== undefined,
  );
}

/** What a rule says of a part of its tag: empty means any value, undefined nothing. */
function ruled(rule: Rule, part: Part): string | undefined {
  if (part.holds === "state" || part.holds === "workflow" || part.holds === "text") {
    return rule[part.field];
  }
  return Object.hasOwn(rule.attributes, part.name) ? rule.attributes[part.name] : undefined;
}

/**
 * Why a rule could never be met in this workflow; `null` where each can. It is
 * the author's to correct, and asked before the step is paid for. Of other
 * workflows that it names, those count that were looked up.
 */
export function ruleProblem(
  rules: Rules,
  names: readonly StateName[],
  platform: Platform,
  workflows: FoundWorkflows = NONE_FOUND,
): StateProblem | null {
  for (const rule of rules ?? []) {
    const problem = unmeetable(rule, names, platform) ?? unenterable(rule, workflows);
    if (problem === null) continue;
    return {
      rule: problem.rule,
      at: rule.at,
      message: `The rule ${printTransition(transitionOfRule(rule))} in allowed_transitions cannot be met. ${problem.message}`,
      hint: `Mend the rule in this line, or add the ${rule.path === undefined ? "state" : "state or workflow"} that it names.`,
    };
  }
  return null;
}

type Unmeetable = Pick<StateProblem, "rule" | "message">;

function unmeetable(
  rule: Rule,
  names: readonly StateName[],
  platform: Platform,
): Unmeetable | null {
  for (const part of partsOf(rule.tag)) {
    const written = part.holds === "state" ? rule[part.field] : undefined;
    if (written === undefined) continue;
    const resolution = resolveState(names, written, platform);
    if (!resolution.ok) return unmet(resolution.fault);
    if (part !== TAG_TABLE[rule.tag].content) continue;
    const fault = batchFault(resolution.name, workerData(rule));
    if (fault !== null) return unmet(fault);
  }
  return gateProblem(rule, names, platform);
}

/** Why the workflow that a rule names cannot be entered; `null` where there is nothing to say. */
function unmet(fault: Fault, where = ""): Unmeetable {
  return { rule: ruleOfFault(fault), message: `${where}${fault.message}` };
}

function unenterable({ path }: Rule, workflows: FoundWorkflows): Unmeetable | null {
  const found = path === undefined ? undefined : workflows.get(path);
  return found === undefined || found.ok ? null : unmet(found.fault);
}

/**
 * Why a rule that calls another workflow could never be met by an agent with
 * these variables: a tag that starts no agent gives it no others. `null` where
 * each can.
 */
export function callsProblem(
  rules: Rules,
  workflows: FoundWorkflows,
  variables: Data,
): FileProblem | null {
  for (const { tag, path, at } of rules ?? []) {
    const found = path === undefined ? undefined : workflows.get(path);
    if (path === undefined || found?.ok !== true || TAG_TABLE[tag].takesData) continue;
    const message = variablesProblem(path, found.takes, variables);
    if (message === null) continue;
    const hint = "Give it by --var, or by an attribute of the fork that starts this agent.";
    return { at, message, hint };
  }
  return null;
}

/** The paths of other workflows that rules name. */
export function ruledPaths(rules: Rules): readonly string[] {
  return [...new Set((rules ?? []).flatMap(({ path }) => path ?? []))];
}

/** Why the gate of a rule, or where it leads in the end, is none; `null` where there is nothing to say. */
function gateProblem(
  { verify }: Rule,
  names: readonly StateName[],
  platform: Platform,
): Unmeetable | null {
  if (verify === undefined) return null;
  const gate = resolveState(names, verify.state, platform);
  if (!gate.ok) return unmet(gate.fault, "Its verify leads nowhere: ");
  if (stateKind(gate.name) === "prompt") {
    return {
      rule: "RAY204",
      message: `Its verify names ${quoted(gate.name)}, which is a prompt: a gate is a script, whose exit code decides.`,
    };
  }
  if (verify.onFail === null) return null;
  const onward = resolveState(names, verify.onFail, platform);
  return onward.ok ? null : unmet(onward.fault, "Its on_fail leads nowhere: ");
}

/** The names of attributes that rules declare for workers. */
export function declaredData(rules: Rules): readonly string[] {
  return (rules ?? []).flatMap((rule) =>
    TAG_TABLE[rule.tag].takesData ? Object.keys(workerData(rule)) : [],
  );
}

/** What a rule says of the worker's data: all its attributes but the tag's own. */
function workerData(rule: Rule): Data {
  const own = new Set<string>(partsOf(rule.tag).map(({ name }) => name));
  return Object.fromEntries(Object.entries(rule.attributes).filter(([name]) => !own.has(name)));
}

/**
 * The allowed transitions as complete tags, one a rule, for a reminder. Where a
 * rule leaves something open stands a placeholder: `STATE`, `FOLDER`, `VALUE`,
 * `your result`.
 */
export function printRules(rules: Rules): readonly string[] {
  return (rules ?? []).map((rule) => printTransition(transitionOfRule(rule)));
}

/** The transition of a rule, with placeholders for what it leaves open. */
export function transitionOfRule(rule: Rule): Transition {
  const values: { -readonly [F in keyof Values]: Values[F] } = {};
  for (const part of partsOf(rule.tag)) {
    const said = ruled(rule, part);
    // What a rule gives by itself is not for a model to write.
    if (part.holds === "text" && !part.required) continue;
    if (part.holds === "text") values[part.field] = said ?? part.open;
    else if (said !== undefined || part.required !== false) values[part.field] = said || part.open;
  }
  const data = Object.entries(workerData(rule));
  const filled = data.map(([name, value]) => [name, value || OPEN_DATA] as const);
  return transitionOf(rule.tag, values, Object.fromEntries(filled));
}

const OPEN_DATA = "VALUE";

/** What these placeholders are, in one sentence. */
export function explainPlaceholders(): string {
  // A path always stands in its rule.
  const shown = (part: Part) =>
    part.holds !== "workflow" && (part.required !== false || part.holds === "folder");
  const parts = TAGS.flatMap((tag) => partsOf(tag).filter(shown));
  const open = [...new Set(parts.map((part) => part.open))];
  const names = [...open.filter(isName), OPEN_DATA].join(", ");
  const words = open.filter((one) => !isName(one)).map((one) => `"${one}"`);
  return `${names} and the words ${words.join(", ")} stand for what you fill in.`;
}

function isName(placeholder: string): boolean {
  return /^[A-Z]+$/.test(placeholder);
}
