import { parseDuration } from "../duration.ts";
import { type MicroUsd, toMicroUsd } from "../money.ts";
import type { Position } from "../place.ts";
import { readEach } from "./errors.ts";
import { didYouMean, unknownKey } from "./meant.ts";
import { misspelledModel } from "./model-name.ts";
import { quoted } from "./quote.ts";
import { parseRules } from "./rule-list.ts";
import {
  type ContextLimit,
  EFFORTS,
  type Effort,
  type FileWarning,
  type MaxContext,
} from "./state-file.ts";
import { stateNameProblem } from "./state-name.ts";
import type { Complain, Scalar, Tree } from "./yaml-tree.ts";

/**
 * What front matter may declare (docs/authoring.md, "Front matter"): the key as
 * written, and how its value is read.
 */
const KEYS = {
  allowed_transitions: parseRules,
  model: parseModel,
  effort: parseEffort,
  timeout: parseTimeout,
  budget: parseBudget,
  max_visits: parseVisits,
  max_context: parseContext,
  on_context: parseState,
  tools: parseWords,
  allowed_tools: parseWords,
  disallowed_tools: parseWords,
} as const;
type Key = keyof typeof KEYS;

/** What was declared; a key that is absent is absent. */
export type Declared = { readonly [K in Key]?: ReturnType<(typeof KEYS)[K]> };

/**
 * What the front matter of a prompt declares. Throws what `complain` makes for a
 * value of a wrong type, and for anything but a mapping; keys that are not known
 * become warnings.
 */
export function readDeclarations(
  tree: Tree | null,
  complain: Complain,
): { readonly declared: Declared; readonly unknown: readonly FileWarning[] } {
  if (tree === null) return { declared: {}, unknown: [] };
  if (tree.kind !== "map") {
    throw complain(
      tree.at,
      "The front matter must be a mapping of keys to values.",
      "Write it as key: value, or leave it out.",
    );
  }

  const declared: [key: Key, value: unknown][] = [];
  const unknown: FileWarning[] = [];
  readEach(tree.entries, ({ key, at, value }) => {
    if (isKey(key)) declared.push([key, KEYS[key](value, complain, key)]);
    else
      unknown.push({
        line: at.line,
        message: unknownKey("front matter key", key, Object.keys(KEYS)),
      });
    if (key === "model" && value.kind === "scalar") {
      unknown.push(...misspelledModel(value.text, value.at));
    }
  });
  return { declared: Object.fromEntries(declared), unknown };
}

function isKey(key: string): key is Key {
  return Object.hasOwn(KEYS, key);
}

function parseModel(value: Tree, complain: Complain, key: string): string {
  return word(
    value,
    complain,
    key,
    "Write an alias such as opus, sonnet or haiku, or a model's full id.",
  );
}

function parseEffort(value: Tree, complain: Complain, key: string): Effort {
  const hint = `Write one of: ${EFFORTS.join(", ")}.`;
  const text = word(value, complain, key, hint);
  const effort = EFFORTS.find((known) => known === text);
  if (effort !== undefined) return effort;

  const meant = didYouMean(text, EFFORTS);
  throw complain(value.at, `There is no effort ${quoted(text)}.`, `${meant}${hint}`);
}

function parseTimeout(value: Tree, complain: Complain, key: string): number {
  const ms = value.kind === "scalar" ? parseDuration(value.text) : null;
  if (ms !== null) return ms;
  throw complain(
    value.at,
    `The ${key} must be a duration${found(value)}.`,
    "Write for example 90s, 20m, 2h or 1h30m; a bare number is seconds.",
  );
}

function parseBudget(value: Tree, complain: Complain, key: string): MicroUsd {
  const usd = value.kind === "scalar" && DECIMAL.test(value.text) ? Number(value.text) : 0;
  const budget = toMicroUsd(usd);
  if (budget > 0 && usd <= 1e9) return budget;
  throw complain(
    value.at,
    `The ${key} must be a number of dollars above 0${found(value)}.`,
    "Write for example: budget: 2.50",
  );
}

function parseVisits(value: Tree, complain: Complain, key: string): number {
  const visits = value.kind === "scalar" && /^\d{1,9}$/.test(value.text) ? Number(value.text) : 0;
  if (visits > 0) return visits;
  throw complain(
    value.at,
    `${key} must be a whole number above 0${found(value)}.`,
    "Write for example: max_visits: 20",
  );
}

/** `120k`, `1.5M` or `120000` tokens, or `70%` of the window. */
function parseContext(value: Tree, complain: Complain, key: string): Placed<ContextLimit> {
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
  throw complain(
    at,
    `${key} must be a number of tokens, or a share of the model's window${found(value)}.`,
    "Write for example: max_context: 120k, or max_context: 70%",
  );
}

function parseState(value: Tree, complain: Complain, key: string): Placed<string> {
  const text = value.kind === "scalar" ? value.text : "";
  const problem = stateNameProblem(text);
  if (problem === null) return { value: text.trim(), at: value.at };
  throw complain(value.at, `The ${key} ${problem}.`, "Name a state of this workflow.");
}

interface Placed<T> {
  readonly value: T;
  readonly at: Position;
}

/** The two keys of a context's limit, which only mean something together. */
export function declaredContext(
  { max_context: limit, on_context: target }: Declared,
  complain: Complain,
): MaxContext | null {
  if (limit === undefined && target === undefined) return null;
  if (target === undefined || limit === undefined) {
    const [there, missing] =
      target === undefined ? ["max_context", "on_context"] : ["on_context", "max_context"];
    throw complain(
      (limit ?? target ?? { at: { line: 1, column: 1 } }).at,
      `${there} does nothing without ${missing}.`,
      "Write both: max_context: 120k and on_context: HANDOFF",
    );
  }
  return { limit: limit.value, target: target.value, at: target.at };
}

const DECIMAL = /^\d+(?:\.\d+)?$/;

function found(value: Tree): string {
  return value.kind === "scalar" ? ` and not ${quoted(value.text)}` : "";
}

function parseWords(value: Tree, complain: Complain, key: string): readonly string[] {
  const hint = "Write for example: [Read, Edit, Bash(git log:*)]";
  if (value.kind !== "list") throw complain(value.at, `${key} must be a list.`, hint);
  return value.items.map((item) => word(item, complain, key, hint));
}

/** One text that travels to the client as an argument, and so must not look like a flag. */
function word(value: Tree, complain: Complain, key: string, hint: string): string {
  const text = isFilled(value) ? value.text.trim() : "";
  if (text === "") throw complain(value.at, `The value of ${key} must be a text.`, hint);
  if (/^[\u201c-\u201f\u2018-\u201b\u00ab]/.test(text)) {
    const problem = `The value of ${key} begins with a typographic quote: ${quoted(text)}.`;
    throw complain(value.at, problem, "Write straight quotes, or none.");
  }
  if (text.startsWith("-") || text.includes("\0")) {
    throw complain(value.at, `The value of ${key} cannot be ${quoted(text)}.`, hint);
  }
  return text;
}

function isFilled(value: Tree): value is Scalar {
  return value.kind === "scalar" && value.isText;
}

/** What a workflow may set for all its runs, where nobody else says. */
const DEFAULTS = {
  budget: parseBudget,
  model: parseModel,
  effort: parseEffort,
  max_parallel: parseParallel,
  tools: parseWords,
} as const;
type DefaultKey = keyof typeof DEFAULTS;

/** Those of a workflow; a key that is absent is absent. */
export type WorkflowDefaults = {
  readonly [K in DefaultKey]?: ReturnType<(typeof DEFAULTS)[K]>;
};

export function isDefaultKey(key: string): key is DefaultKey {
  return Object.hasOwn(DEFAULTS, key);
}

/** The value of such a key. Throws what `complain` makes for one of a wrong type. */
export function readDefault(key: DefaultKey, value: Tree, complain: Complain): unknown {
  return DEFAULTS[key](value, complain, key);
}

function parseParallel(value: Tree, complain: Complain, key: string): number {
  const count = value.kind === "scalar" && /^\d{1,5}$/.test(value.text) ? Number(value.text) : 0;
  if (count > 0 && count <= 10_000) return count;
  throw complain(
    value.at,
    `${key} must be a whole number from 1 to 10000${found(value)}.`,
    "Write for example: max_parallel: 4",
  );
}
