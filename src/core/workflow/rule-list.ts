import { workflowPathProblem } from "../protocol/address.ts";
import { attributeNameProblem, attributeValueProblem } from "../protocol/attributes.ts";
import { optionsProblem } from "../protocol/options.ts";
import { companionOf, mustSay, partsOf } from "../protocol/parts.ts";
import { choiceProblem, durationProblem, isCount } from "../protocol/read-element.ts";
import { TAG_TABLE } from "../protocol/tag-table.ts";
import { type Part, TAGS, type Tag } from "../protocol/transition.ts";
import { readEach } from "./errors.ts";
import { didYouMean } from "./meant.ts";
import { listed, quoted } from "./quote.ts";
import type { Rule, RuledGate, RuledStates, RuledTexts, RuledWorkflows } from "./rule.ts";
import { stateNameProblem } from "./state-name.ts";
import type { Complain, Entry, Scalar, Tree } from "./yaml-tree.ts";

const EXAMPLE = "Write a list of rules, such as: - { tag: goto, target: NEXT }";

/**
 * The rules of `allowed_transitions`, names unresolved (docs/protocol.md, "Rules
 * and implied transitions"). Throws what `complain` makes for anything but a
 * list of one or more mappings that each have a `tag` and only keys that this
 * tag takes.
 */
export function parseRules(tree: Tree, complain: Complain): readonly Rule[] {
  if (tree.kind !== "list") {
    throw complain(tree.at, "allowed_transitions must be a list of rules.", EXAMPLE);
  }
  if (tree.items.length === 0) {
    const hint = `Leave the key out to allow everything. ${EXAMPLE}`;
    throw complain(tree.at, "allowed_transitions is empty, so no transition could be valid.", hint);
  }
  return readEach(tree.items, (item) => parseRule(item, complain));
}

function parseRule(tree: Tree, complain: Complain): Rule {
  if (tree.kind !== "map") {
    throw complain(tree.at, "A rule must be a mapping with a tag.", EXAMPLE);
  }
  const tagEntry = tree.entries.find(({ key }) => key === "tag");
  if (tagEntry === undefined) throw complain(tree.at, "This rule has no tag.", EXAMPLE);
  const tag = parseTag(tagEntry, complain);

  const names: { -readonly [F in keyof RuledStates]: RuledStates[F] } = {};
  const paths: { -readonly [F in keyof RuledWorkflows]: RuledWorkflows[F] } = {};
  const texts: { -readonly [F in keyof RuledTexts]: RuledTexts[F] } = {};
  const attributes: [name: string, value: string][] = [];
  const verify = parseGate(tree.entries, complain);
  for (const entry of tree.entries) {
    if (entry.key === "tag" || (verify !== null && GATE_KEYS.has(entry.key))) continue;
    const part = partsOf(tag).find(({ name }) => name === entry.key);
    if (part === undefined) checkData(tag, entry, complain);
    if (part?.holds === "state") names[part.field] = parseName(entry, complain);
    else if (part?.holds === "workflow") paths[part.field] = parsePath(entry, complain);
    else if (part?.holds === "text") texts[part.field] = parseText(tag, part, entry, complain);
    else if (part?.holds === "choice")
      attributes.push([entry.key, parseChoice(part.choices, entry, complain)]);
    else if (part?.holds === "count") attributes.push([entry.key, parseCount(entry, complain)]);
    else if (part?.holds === "duration") attributes.push([entry.key, parseDelay(entry, complain)]);
    else if (part?.holds === "options") attributes.push([entry.key, parseOptions(entry, complain)]);
    else attributes.push([entry.key, parseValue(entry, complain)]);
  }
  checkCompanions(tag, tree.entries, complain);
  checkPath(tag, tree, paths, complain);
  const gate = verify === null ? {} : { verify };
  return {
    tag,
    ...names,
    ...paths,
    ...texts,
    ...gate,
    attributes: Object.fromEntries(attributes),
    at: tree.at,
  };
}

const GATE_KEYS: ReadonlySet<string> = new Set(["verify", "attempts", "on_fail"]);

/** Runs of a gate in one visit of a state, where its rule does not say. */
const DEFAULT_ATTEMPTS = 5;

/** The gate of a rule. The other two keys mean it only beside `verify`. */
function parseGate(entries: readonly Entry[], complain: Complain): RuledGate | null {
  const [verify, attempts, onFail] = ["verify", "attempts", "on_fail"].map((key) =>
    entries.find((entry) => entry.key === key),
  );
  if (verify === undefined) return null;
  return {
    state: parseName(verify, complain),
    attempts: attempts === undefined ? DEFAULT_ATTEMPTS : parseAttempts(attempts, complain),
    onFail: onFail === undefined ? null : parseName(onFail, complain),
  };
}

function parseAttempts(entry: Entry, complain: Complain): number {
  const { text, at } = scalar(entry, complain);
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw complain(
    at,
    `The attempts of this rule must be a whole number from 1 to 999, and not ${quoted(text)}.`,
    "Write for example attempts: 3, or leave the key out for 5.",
  );
}

/** Refuses a key without which another says nothing: what is implied could not be applied. */
function checkCompanions(tag: Tag, entries: readonly Entry[], complain: Complain): void {
  const keys = new Set(entries.map(({ key }) => key));
  for (const entry of entries) {
    const part = partsOf(tag).find(({ name }) => name === entry.key);
    const other = part === undefined ? null : companionOf(part);
    if (other === null || keys.has(other)) continue;
    const hint = `Write ${other} beside it, or leave both out.`;
    throw complain(entry.at, `This rule has ${entry.key} and no ${other}.`, hint);
  }
}

/** Refuses a rule that leaves it to the model which workflow runs. */
function checkPath(tag: Tag, { at }: Tree, named: RuledWorkflows, complain: Complain): void {
  const [content] = partsOf(tag);
  if (content.holds !== "workflow" || named[content.field] !== undefined) return;
  throw complain(
    at,
    `This rule for <${tag}> has no ${content.name}: which workflow runs is not for a model to choose.`,
    `Name it by its path from the folder of this workflow: ${content.name}: ../review`,
  );
}

function parsePath(entry: Entry, complain: Complain): string {
  const { text, at } = scalar(entry, complain);
  const problem = workflowPathProblem(text);
  if (problem === null) return text.trim();
  throw complain(
    at,
    `The ${entry.key} of this rule ${problem}.`,
    "Name a workflow by its path from the folder of this one, such as ../review.",
  );
}

function parseTag(entry: Entry, complain: Complain): Tag {
  const { text, at } = scalar(entry, complain);
  const tag = TAGS.find((known) => known === text);
  if (tag !== undefined) return tag;

  const hint = `${didYouMean(text, TAGS)}The tags are: ${listed(TAGS)}.`;
  throw complain(at, `There is no tag ${quoted(text)}.`, hint);
}

/** Refuses a key that the tag does not take: such a rule could never be met. */
function checkData(tag: Tag, { key, at }: Entry, complain: Complain): void {
  if (TAG_TABLE[tag].takesData) {
    const problem = attributeNameProblem(key);
    if (problem === null) return;
    throw complain(at, problem, "Choose another name for the attribute.");
  }

  const keys = [...partsOf(tag).map(({ name }) => name), "verify"];
  if (GATE_KEYS.has(key)) {
    throw complain(
      at,
      `${quoted(key)} of a rule is about its gate, and this one has none.`,
      "Name the gate: verify: TESTS",
    );
  }
  const hint = `${didYouMean(key, keys)}A rule for <${tag}> takes ${["tag", ...keys.slice(0, -1)].join(", ")} and ${keys.at(-1) ?? ""}.`;
  throw complain(at, `A rule for <${tag}> takes no ${quoted(key)}.`, hint);
}

function parseName(entry: Entry, complain: Complain): string {
  const { text, at } = scalar(entry, complain);
  const problem = stateNameProblem(text);
  if (problem === null) return text.trim();
  throw complain(
    at,
    `The ${entry.key} of this rule ${problem}.`,
    "Name a state of this workflow, or leave the key out to allow any.",
  );
}

function parseValue(entry: Entry, complain: Complain): string {
  const { text, at } = scalar(entry, complain);
  const problem = attributeValueProblem(text);
  if (problem === null) return text;
  throw complain(at, problem, `Choose another value for ${quoted(entry.key)}.`);
}

function parseChoice(choices: readonly string[], entry: Entry, complain: Complain): string {
  const { text, at } = scalar(entry, complain);
  const problem = choiceProblem(choices, text);
  if (problem === null) return text;
  throw complain(
    at,
    `The ${entry.key} of this rule ${problem}.`,
    "Choose one of them, or leave the key out.",
  );
}

function parseCount(entry: Entry, complain: Complain): string {
  const { text, at } = scalar(entry, complain);
  if (isCount(text)) return text;
  throw complain(
    at,
    `The ${entry.key} of this rule must be a whole number from 0 on, and not ${quoted(text)}.`,
    "Write such a number, or leave the key out.",
  );
}

function parseDelay(entry: Entry, complain: Complain): string {
  const { text, at } = scalar(entry, complain);
  const problem = durationProblem(text);
  if (problem === null) return text;
  throw complain(
    at,
    `The ${entry.key} of this rule ${problem}.`,
    "Write such a duration, or leave the key out.",
  );
}

function parseOptions(entry: Entry, complain: Complain): string {
  const { text, at } = scalar(entry, complain);
  const problem = optionsProblem(text);
  if (problem === null) return text;
  throw complain(
    at,
    `The ${entry.key} of this rule ${problem}.`,
    "Write for example options: yes|no, or leave the key out.",
  );
}

/** A payload, or a template for one: a closing tag in it could never be emitted. */
function parseText(tag: Tag, part: Part, entry: Entry, complain: Complain): string {
  const text = parseValue(entry, complain);
  if (mustSay(part) && text.trim() === "") {
    throw complain(
      entry.value.at,
      `The ${entry.key} of this rule is empty.`,
      "Write it, or leave the key out to allow any.",
    );
  }
  if (!text.includes(`</${tag}>`)) return text;
  throw complain(
    entry.value.at,
    `The ${entry.key} of this rule holds </${tag}>, which would end the tag.`,
    "Write it without the closing tag.",
  );
}

function scalar(entry: Entry, complain: Complain): Scalar {
  if (entry.value.kind === "scalar") return entry.value;
  throw complain(
    entry.value.at,
    `The ${entry.key} of a rule must be a single word or text.`,
    "Write one rule for each choice.",
  );
}
