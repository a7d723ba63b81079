import { companionOf, isText, mustNotBeEmpty, partsOf } from "../../protocol/parts.ts";
import { partProblem } from "../../protocol/read-element.ts";
import { attributeNameProblem, attributeValueProblem } from "../../protocol/scan/attributes.ts";
import { TAG_TABLE } from "../../protocol/tag-table.ts";
import { type Part, TAGS, type Tag } from "../../protocol/transition.ts";
import { readEach } from "../errors.ts";
import { stateNameProblem } from "../files/state-name.ts";
import { didYouMean, listed, quoted } from "../quote.ts";
import type { Entry, ErrorAt, Scalar, Tree } from "../yaml-tree.ts";
import type { Rule, RuleFields, RuleGate } from "./rule.ts";
import { checkedPart, isSchemaName, schemaNameProblem } from "./schema-name.ts";

const EXAMPLE = "Example: - { tag: goto, target: NEXT }";

/**
 * Parses `allowed_transitions`, with unresolved names (docs/protocol.md, "Rules and implied
 * transitions"). Throws `errorAt` for anything but a non-empty list of valid rules.
 */
export function parseRules(tree: Tree, errorAt: ErrorAt): readonly Rule[] {
  if (tree.kind !== "list") {
    throw errorAt(tree.at, "allowed_transitions must be a list of rules.", EXAMPLE);
  }
  if (tree.items.length === 0) {
    const hint = `Remove the key to allow everything. ${EXAMPLE}`;
    throw errorAt(tree.at, "allowed_transitions is empty, so no transition is allowed.", hint);
  }
  return readEach(tree.items, (item) => parseRule(item, errorAt));
}

function parseRule(tree: Tree, errorAt: ErrorAt): Rule {
  if (tree.kind !== "map") {
    throw errorAt(tree.at, "A rule must be a mapping with a tag.", EXAMPLE);
  }
  const tagEntry = tree.entries.find(({ key }) => key === "tag");
  if (tagEntry === undefined) throw errorAt(tree.at, "This rule has no tag.", EXAMPLE);
  const tag = parseTag(tagEntry, errorAt);

  const fields: { -readonly [F in keyof RuleFields]: RuleFields[F] } = {};
  const attributes: [name: string, value: string][] = [];
  const verify = parseGate(tree.entries, errorAt);
  const schema = tree.entries.find((entry) => isSchemaKey(tag, entry));
  for (const entry of tree.entries) {
    if (entry.key === "tag" || (verify !== null && GATE_KEYS.has(entry.key))) continue;
    if (entry === schema) continue;
    const part = partsOf(tag).find(({ name }) => name === entry.key);
    if (part === undefined) checkData(tag, entry, errorAt);
    const value = parseValue(tag, part, entry, errorAt);
    if (part !== undefined && (part.holds === "state" || part.holds === "workflow" || isText(part)))
      fields[part.field] = value;
    else attributes.push([entry.key, value]);
  }
  checkCompanions(tag, tree.entries, errorAt);
  checkPath(tag, tree, fields, errorAt);
  const gate = verify === null ? {} : { verify };
  const checked = schema === undefined ? {} : { schema: parseSchema(schema, fields, errorAt) };
  const data = Object.fromEntries(attributes);
  return { tag, ...fields, ...gate, ...checked, attributes: data, at: tree.at };
}

/** In a rule for a tag that starts an agent, any other value of `schema` is an attribute of that agent. */
function isSchemaKey(tag: Tag, { key, value }: Entry): boolean {
  if (key !== "schema" || checkedPart(tag) === null) return false;
  return !TAG_TABLE[tag].startsAgent || (value.kind === "scalar" && isSchemaName(value.text));
}

function parseSchema(entry: Entry, { payload }: RuleFields, errorAt: ErrorAt): string {
  const { text, at } = scalar(entry, errorAt);
  const problem = schemaNameProblem(text);
  if (problem !== null) {
    const hint = "Name a file in the folder of this workflow. Example: schema: plan.schema.json";
    throw errorAt(at, `The schema of this rule ${problem}.`, hint);
  }
  if (payload === undefined) return text;
  const hint = "Remove one of them: a schema is for results that the model writes.";
  throw errorAt(at, "This rule has both a schema and a payload.", hint);
}

const GATE_KEYS: ReadonlySet<string> = new Set(["verify", "attempts", "on_fail"]);

/** Runs of a gate per visit of a state. */
const DEFAULT_ATTEMPTS = 5;

/** The gate of a rule. Without `verify` the other two keys are attributes. */
function parseGate(entries: readonly Entry[], errorAt: ErrorAt): RuleGate | null {
  const [verify, attempts, onFail] = ["verify", "attempts", "on_fail"].map((key) =>
    entries.find((entry) => entry.key === key),
  );
  if (verify === undefined) return null;
  return {
    state: parseState(verify, errorAt),
    attempts: attempts === undefined ? DEFAULT_ATTEMPTS : parseAttempts(attempts, errorAt),
    onFail: onFail === undefined ? null : parseState(onFail, errorAt),
  };
}

function parseAttempts(entry: Entry, errorAt: ErrorAt): number {
  const { text, at } = scalar(entry, errorAt);
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw errorAt(
    at,
    `attempts must be an integer from 1 to 999, not ${quoted(text)}.`,
    "Example: attempts: 3. Without the key: 5.",
  );
}

/** Refuses a key without the key that it requires: an implied transition would be invalid. */
function checkCompanions(tag: Tag, entries: readonly Entry[], errorAt: ErrorAt): void {
  const keys = new Set(entries.map(({ key }) => key));
  for (const entry of entries) {
    const part = partsOf(tag).find(({ name }) => name === entry.key);
    const other = part === undefined ? null : companionOf(part);
    if (other === null || keys.has(other)) continue;
    const hint = `Add ${other}, or remove both.`;
    throw errorAt(entry.at, `This rule has ${entry.key} but no ${other}.`, hint);
  }
}

/** Refuses a rule without a workflow path: a model must not choose which workflow runs. */
function checkPath(tag: Tag, { at }: Tree, named: RuleFields, errorAt: ErrorAt): void {
  const [content] = partsOf(tag);
  if (content.holds !== "workflow" || named[content.field] !== undefined) return;
  throw errorAt(
    at,
    `This rule for <${tag}> has no ${content.name}. A model must not choose which workflow runs.`,
    `Add the path relative to the folder of this workflow. Example: ${content.name}: ../review`,
  );
}

function parseTag(entry: Entry, errorAt: ErrorAt): Tag {
  const { text, at } = scalar(entry, errorAt);
  const tag = TAGS.find((known) => known === text);
  if (tag !== undefined) return tag;

  const hint = `${didYouMean(text, TAGS)}Tags: ${listed(TAGS)}.`;
  throw errorAt(at, `Unknown tag ${quoted(text)}.`, hint);
}

/** Refuses an unknown key: the rule could never match. */
function checkData(tag: Tag, { key, at }: Entry, errorAt: ErrorAt): void {
  if (TAG_TABLE[tag].startsAgent) {
    const problem = attributeNameProblem(key);
    if (problem === null) return;
    throw errorAt(at, problem, "Choose another name for the attribute.");
  }

  const checked = checkedPart(tag) === null ? [] : ["schema"];
  const keys = [...partsOf(tag).map(({ name }) => name), ...checked, "verify"];
  if (GATE_KEYS.has(key)) {
    throw errorAt(
      at,
      `${quoted(key)} requires a gate, but this rule has none.`,
      "Example: verify: TESTS",
    );
  }
  const hint = `${didYouMean(key, keys)}Keys of a rule for <${tag}>: ${["tag", ...keys].join(", ")}.`;
  throw errorAt(at, `Unknown key ${quoted(key)} in a rule for <${tag}>.`, hint);
}

function parseValue(tag: Tag, part: Part | undefined, entry: Entry, errorAt: ErrorAt): string {
  if (part?.holds === "state") return parseState(entry, errorAt);
  const { text, at } = scalar(entry, errorAt);
  if (part === undefined || part.holds === "text" || part.holds === "folder") {
    const problem = attributeValueProblem(text);
    if (problem !== null)
      throw errorAt(at, problem, `Choose another value for ${quoted(entry.key)}.`);
    if (part?.holds === "text") checkText(tag, part, text, entry, errorAt);
    return text;
  }
  // A template is checked when it is filled.
  if (part.holds === "worktree" && text.includes("{{")) return text;
  const problem = partProblem(part, text);
  if (problem === null) return part.holds === "workflow" ? text.trim() : text;
  throw errorAt(at, `The ${entry.key} of this rule ${problem}.`, HINTS[part.holds]);
}

const HINTS = {
  workflow: "Use a path relative to the folder of this workflow, such as ../review.",
  choice: "Choose one of them, or remove the key.",
  count: "Correct the number, or remove the key.",
  duration: "Correct the duration, or remove the key.",
  options: "Example: options: yes|no",
  worktree: "Example: worktree: true",
} as const;

function parseState(entry: Entry, errorAt: ErrorAt): string {
  const { text, at } = scalar(entry, errorAt);
  const problem = stateNameProblem(text);
  if (problem === null) return text.trim();
  const hint = "Name a state of this workflow, or remove the key to allow any.";
  throw errorAt(at, `The ${entry.key} of this rule ${problem}.`, hint);
}

/** Refuses a text with a closing tag, which a model could not emit inside the tag. */
function checkText(tag: Tag, part: Part, text: string, entry: Entry, errorAt: ErrorAt): void {
  const { at } = entry.value;
  if (mustNotBeEmpty(part) && text.trim() === "") {
    const hint = "Add a text, or remove the key to allow any.";
    throw errorAt(at, `The ${entry.key} of this rule is empty.`, hint);
  }
  if (!text.includes(`</${tag}>`)) return;
  const problem = `The ${entry.key} of this rule contains </${tag}>, which would end the tag.`;
  throw errorAt(at, problem, "Remove the closing tag.");
}

function scalar(entry: Entry, errorAt: ErrorAt): Scalar {
  if (entry.value.kind === "scalar") return entry.value;
  throw errorAt(
    entry.value.at,
    `The ${entry.key} of a rule must be a single value.`,
    "Write one rule for each choice.",
  );
}
