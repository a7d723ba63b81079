import { parseDuration } from "../../basics/duration.ts";
import { type MicroUsd, toMicroUsd } from "../../basics/money.ts";
import { type Position, TOP } from "../../basics/place.ts";
import { readEach } from "../errors.ts";
import {
  type ContextLimit,
  EFFORTS,
  type FileWarning,
  type MaxContext,
  ON_DENIED,
} from "../files/state-file.ts";
import { stateNameProblem } from "../files/state-name.ts";
import { didYouMean, quoted, unknownKey } from "../quote.ts";
import { type ErrorAt, plainValue, type Scalar, type Tree } from "../yaml-tree.ts";
import { isAgentName } from "./agent-name.ts";
import { parseEnvironment } from "./declared-environment.ts";
import { modelTypo, toolTypo } from "./known-names.ts";
import { PERMISSION_KEYS } from "./permission-keys.ts";
import { parseRules } from "./rule-list.ts";
import { readSandbox, type Sandbox } from "./sandbox.ts";

/** The keys of front matter and their parsers (docs/authoring.md, "Front matter"). */
const KEYS = {
  allowed_transitions: parseRules,
  agent: parseAgents,
  model: parseModel,
  effort: oneOf(EFFORTS),
  fallback_model: parseModel,
  max_turns: wholeNumber(999_999, "above 0", "Example: max_turns: 50"),
  on_denied: oneOf(ON_DENIED),
  timeout: parseTimeout,
  budget: parseBudget,
  max_visits: wholeNumber(999_999_999, "above 0", "Example: max_visits: 20"),
  max_context: parseContext,
  on_context: parseState,
  ...PERMISSION_KEYS,
  tools: parseTools,
  allowed_tools: parseTools,
  disallowed_tools: parseTools,
  require_mcp: listOf("Example: [tickets]"),
  env: parseEnvironment,
  sandbox: parseSandbox,
} as const;
type Key = keyof typeof KEYS;

export type Declared = { readonly [K in Key]?: ReturnType<(typeof KEYS)[K]> };

/** Reads the front matter of a prompt. Throws `errorAt` for invalid values; unknown keys are warnings. */
export function readDeclarations(
  tree: Tree | null,
  errorAt: ErrorAt,
): { readonly declared: Declared; readonly unknown: readonly FileWarning[] } {
  if (tree === null) return { declared: {}, unknown: [] };
  if (tree.kind !== "map") {
    throw errorAt(
      tree.at,
      "The front matter must be a mapping of keys to values.",
      "Write it as key: value, or remove it.",
    );
  }

  const declared: [key: Key, value: unknown][] = [];
  const unknown: FileWarning[] = [];
  readEach(tree.entries, ({ key, at, value }) => {
    if (key === "container") throw errorAt(at, CONTAINED_PROMPT.problem, CONTAINED_PROMPT.hint);
    if (isFrontMatterKey(key)) declared.push([key, KEYS[key](value, errorAt, key)]);
    else
      unknown.push({
        line: at.line,
        message: unknownKey("front matter key", key, Object.keys(KEYS)),
      });
    unknown.push(...misspelledNames(key, value));
  });
  return { declared: Object.fromEntries(declared), unknown };
}

export function isFrontMatterKey(key: string): key is Key {
  return Object.hasOwn(KEYS, key);
}

function parseModel(value: Tree, errorAt: ErrorAt, key: string): string {
  return word(
    value,
    errorAt,
    key,
    "Write an alias such as opus, sonnet or haiku, or the full id of a model.",
  );
}

/** One name, or a list of names in the order of preference (docs/authoring.md, "Coding agents"). */
function parseAgents(value: Tree, errorAt: ErrorAt, key: string): readonly string[] {
  const hint = "Write one name, or a list in the order of preference: agent: [FIRST, SECOND]";
  const items = value.kind === "list" ? value.items : [value];
  const names = items.map((item) => {
    const name = word(item, errorAt, key, hint);
    if (isAgentName(name)) return name;
    throw errorAt(item.at, `${quoted(name)} is not the name of a coding agent.`, hint);
  });
  if (names.length === 0) throw errorAt(value.at, `${key} must not be empty.`, hint);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw errorAt(value.at, `${key} names ${twice} twice.`, hint);
  return names;
}

function oneOf<Word extends string>(words: readonly Word[]) {
  return (value: Tree, errorAt: ErrorAt, key: string): Word => {
    const hint = `Write one of: ${words.join(", ")}.`;
    const text = word(value, errorAt, key, hint);
    const known = words.find((each) => each === text);
    if (known !== undefined) return known;
    const meant = didYouMean(text, words);
    throw errorAt(value.at, `Unknown ${key} ${quoted(text)}.`, `${meant}${hint}`);
  };
}

function parseTimeout(value: Tree, errorAt: ErrorAt, key: string): number {
  const ms = value.kind === "scalar" ? parseDuration(value.text) : null;
  if (ms !== null) return ms;
  throw errorAt(
    value.at,
    `The ${key} must be a duration${found(value)}.`,
    "Examples: 90s, 20m, 2h, 1h30m. A bare number is seconds.",
  );
}

function parseBudget(value: Tree, errorAt: ErrorAt, key: string): MicroUsd {
  const usd = value.kind === "scalar" && DECIMAL.test(value.text) ? Number(value.text) : 0;
  const budget = toMicroUsd(usd);
  if (budget > 0 && usd <= 1e9) return budget;
  throw errorAt(
    value.at,
    `The ${key} must be a number of dollars above 0${found(value)}.`,
    "Example: budget: 2.50",
  );
}

/** Parses a whole number from 1 to `most`. */
function wholeNumber(most: number, range: string, example: string) {
  return (value: Tree, errorAt: ErrorAt, key: string): number => {
    const count = value.kind === "scalar" && /^\d{1,9}$/.test(value.text) ? Number(value.text) : 0;
    if (count > 0 && count <= most) return count;
    throw errorAt(value.at, `${key} must be a whole number ${range}${found(value)}.`, example);
  };
}

/** `120k`, `1.5M` or `120000` tokens, or `70%` of the window. */
function parseContext(value: Tree, errorAt: ErrorAt, key: string): Placed<ContextLimit> {
  const text = value.kind === "scalar" ? value.text.trim() : "";
  const [, digits = "", unit = ""] = /^(\d{1,9}(?:\.\d{1,3})?)(k|M|%|)$/.exec(text) ?? [];
  const amount = digits === "" ? 0 : Number(digits);
  const { at } = value;
  if (unit === "%" && amount > 0 && amount <= 100) {
    return { value: { kind: "share", share: amount / 100 }, at };
  }
  const tokens = Math.round(amount * ({ k: 1_000, M: 1_000_000 }[unit] ?? 1));
  if (unit !== "%" && tokens >= 1 && tokens <= 1e9)
    return { value: { kind: "tokens", tokens }, at };
  throw errorAt(
    at,
    `${key} must be a number of tokens or a percentage of the context window${found(value)}.`,
    "Examples: max_context: 120k, max_context: 70%",
  );
}

function parseState(value: Tree, errorAt: ErrorAt, key: string): Placed<string> {
  const text = value.kind === "scalar" ? value.text : "";
  const problem = stateNameProblem(text);
  if (problem === null) return { value: text.trim(), at: value.at };
  throw errorAt(value.at, `The ${key} ${problem}.`, "Name a state of this workflow.");
}

interface Placed<T> {
  readonly value: T;
  readonly at: Position;
}

/** `max_context` and `on_context`, which require each other. */
export function declaredContext(
  { max_context: limit, on_context: target }: Declared,
  errorAt: ErrorAt,
): MaxContext | null {
  if (limit === undefined && target === undefined) return null;
  if (target === undefined || limit === undefined) {
    const [present, missing] =
      target === undefined ? ["max_context", "on_context"] : ["on_context", "max_context"];
    const hint = "Example: max_context: 120k and on_context: HANDOFF";
    throw errorAt((limit ?? target)?.at ?? TOP, `${present} requires ${missing}.`, hint);
  }
  return { limit: limit.value, target: target.value, at: target.at };
}

const DECIMAL = /^\d+(?:\.\d+)?$/;

function found(value: Tree): string {
  return value.kind === "scalar" ? `, not ${quoted(value.text)}` : "";
}

export function parseSandbox(value: Tree, errorAt: ErrorAt, key: string): Sandbox | null {
  const sandbox = readSandbox(plainValue(value));
  if (sandbox !== undefined) return sandbox;
  const hint = "Examples: sandbox: on, sandbox: { write: [dist], network: off }";
  throw errorAt(value.at, `Invalid ${key}${found(value)}.`, hint);
}

/** An ignored key would let the prompt run outside of its container. */
const CONTAINED_PROMPT = {
  problem: "container applies only to scripts: a prompt cannot run in a container.",
  hint: "Remove it, or use sandbox. To isolate prompts too, run raymond itself in a container.",
} as const;

function parseTools(value: Tree, errorAt: ErrorAt, key: string): readonly string[] {
  return listOf("Example: [Read, Edit, Bash(git log:*)]")(value, errorAt, key);
}

function listOf(hint: string) {
  return (value: Tree, errorAt: ErrorAt, key: string): readonly string[] => {
    if (value.kind !== "list") throw errorAt(value.at, `${key} must be a list.`, hint);
    return value.items.map((item) => word(item, errorAt, key, hint));
  };
}

/** A string that is passed to the client as an argument: it must not look like a flag. */
function word(value: Tree, errorAt: ErrorAt, key: string, hint: string): string {
  const text = isFilled(value) ? value.text.trim() : "";
  if (text === "") throw errorAt(value.at, `${key} must be a string.`, hint);
  if (/^[\u201c-\u201f\u2018-\u201b\u00ab]/.test(text)) {
    const problem = `${key} starts with a typographic quote: ${quoted(text)}.`;
    throw errorAt(value.at, problem, "Use straight quotes, or none.");
  }
  if (text.startsWith("-") || text.includes("\0")) {
    throw errorAt(value.at, `${key} cannot be ${quoted(text)}.`, hint);
  }
  return text;
}

function isFilled(value: Tree): value is Scalar {
  return value.kind === "scalar" && value.isText;
}

/** The default settings that a workflow can declare. */
const DEFAULTS = {
  agent: parseAgents,
  budget: parseBudget,
  model: parseModel,
  effort: oneOf(EFFORTS),
  fallback_model: parseModel,
  max_turns: wholeNumber(999_999, "above 0", "Example: max_turns: 50"),
  on_denied: oneOf(ON_DENIED),
  max_parallel: wholeNumber(10_000, "from 1 to 10000", "Example: max_parallel: 4"),
  tools: parseTools,
} as const;
type DefaultKey = keyof typeof DEFAULTS;

export type WorkflowDefaults = {
  readonly [K in DefaultKey]?: ReturnType<(typeof DEFAULTS)[K]>;
};

export function isDefaultKey(key: string): key is DefaultKey {
  return Object.hasOwn(DEFAULTS, key);
}

export function readDefault(key: DefaultKey, value: Tree, errorAt: ErrorAt): unknown {
  return DEFAULTS[key](value, errorAt, key);
}

/** A warning if a model or a tool resembles a known one but is none. */
function misspelledNames(key: string, value: Tree): readonly FileWarning[] {
  const items = value.kind === "list" ? value.items : [value];
  const typo = TYPOS.get(key);
  return items.flatMap((item) => {
    const message = typo !== undefined && item.kind === "scalar" ? typo(item.text) : null;
    return message === null ? [] : [{ line: item.at.line, message, rule: "RAY604" as const }];
  });
}

const TYPOS: ReadonlyMap<string, (text: string) => string | null> = new Map([
  ["model", modelTypo],
  ["fallback_model", modelTypo],
  ["tools", toolTypo],
  ["allowed_tools", toolTypo],
  ["disallowed_tools", toolTypo],
]);
