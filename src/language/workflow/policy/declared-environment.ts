import { isReservedName } from "../../protocol/reserved-names.ts";
import { quoted } from "../quote.ts";
import type { ErrorAt, Tree } from "../yaml-tree.ts";
import { AGENT_VARIABLES, PROVIDER_VARIABLES } from "./base-variables.ts";

/** `env` of a workflow or a state (docs/environment.md). */
export interface DeclaredEnvironment {
  /** Names and `PREFIX_*`; `*` alone means every variable. Null: not declared. */
  readonly pass: readonly string[] | null;
  readonly set: Readonly<Record<string, string>>;
  readonly secret: readonly string[];
}

export const NO_ENVIRONMENT: DeclaredEnvironment = { pass: null, set: {}, secret: [] };

/** The pattern for every variable: `env: inherit`. */
export const EVERY_VARIABLE = "*";

/** Whether a text is the name of a variable, or `PREFIX_*`. */
export function isVariablePattern(text: string): boolean {
  return /^[A-Za-z_]\w*\*?$/.test(text);
}

/** Whether one of the patterns matches a name. `ignoreCase`: as Windows compares names. */
export function matchesVariable(
  patterns: readonly string[],
  name: string,
  ignoreCase = false,
): boolean {
  const folded = (text: string) => (ignoreCase ? text.toUpperCase() : text);
  return patterns.some((pattern) =>
    pattern.endsWith("*")
      ? folded(name).startsWith(folded(pattern.slice(0, -1)))
      : folded(name) === folded(pattern),
  );
}

/** Parses `env: inherit` or `env: { pass, set, secret }`. Throws `errorAt`. */
export function parseEnvironment(value: Tree, errorAt: ErrorAt, key: string): DeclaredEnvironment {
  if (value.kind === "scalar") {
    if (value.text === "inherit") return { ...NO_ENVIRONMENT, pass: [EVERY_VARIABLE] };
    throw errorAt(value.at, `${key} cannot be ${quoted(value.text)}.`, EXAMPLE);
  }
  if (value.kind === "list") throw errorAt(value.at, `${key} cannot be a list.`, EXAMPLE);
  let declared = NO_ENVIRONMENT;
  for (const { key: part, at, value: content } of value.entries) {
    if (part === "pass") declared = { ...declared, pass: names(content, errorAt, "env.pass") };
    else if (part === "secret")
      declared = { ...declared, secret: names(content, errorAt, "env.secret") };
    else if (part === "set") declared = { ...declared, set: assignments(content, errorAt) };
    else throw errorAt(at, `Unknown key ${quoted(part)} of ${key}.`, EXAMPLE);
  }
  return declared;
}

/** Parses `inherit`, `none` or `NAME,PREFIX_*` of a directive comment; null for another text. */
export function readPassed(text: string): DeclaredEnvironment | null {
  if (text === "inherit") return { ...NO_ENVIRONMENT, pass: [EVERY_VARIABLE] };
  if (text === "none") return { ...NO_ENVIRONMENT, pass: [] };
  const pass = text.split(",");
  return pass.every(isVariablePattern) ? { ...NO_ENVIRONMENT, pass } : null;
}

/** Prints the variables that a script receives as in a directive comment. */
export function printPassed({ pass }: DeclaredEnvironment): string {
  if (pass?.includes(EVERY_VARIABLE) === true) return "inherit";
  return pass === null || pass.length === 0 ? "none" : pass.join(",");
}

const EXAMPLE =
  'Write env: inherit, or for example: env: { pass: [NPM_TOKEN, "AWS_*"], set: { CI: 1 }, secret: [NPM_TOKEN] }';

function names(value: Tree, errorAt: ErrorAt, key: string): readonly string[] {
  const hint = `Example: ${key.slice(4)}: [NPM_TOKEN, "AWS_*"]`;
  if (value.kind !== "list") throw errorAt(value.at, `${key} must be a list of names.`, hint);
  return value.items.map((item) => {
    const text = item.kind === "scalar" ? item.text : "";
    if (isVariablePattern(text)) return text;
    const every = text === EVERY_VARIABLE ? "For all variables write env: inherit. " : "";
    throw errorAt(
      item.at,
      `${key} cannot contain ${quoted(text)}: expected the name of a variable or PREFIX_*.`,
      `${every}${hint}`,
    );
  });
}

function assignments(value: Tree, errorAt: ErrorAt): Readonly<Record<string, string>> {
  const hint = "Example: set: { CI: 1 }";
  if (value.kind !== "map") throw errorAt(value.at, "env.set must be a mapping.", hint);
  return Object.fromEntries(
    value.entries.map(({ key: name, at, value: content }) => {
      const problem = setProblem(name);
      if (problem !== null)
        throw errorAt(at, problem, "The user can set it: --env-set NAME=VALUE.");
      if (content.kind !== "scalar" || content.text.includes("\0"))
        throw errorAt(content.at, `The value of ${name} must be a string.`, hint);
      return [name, content.text];
    }),
  );
}

/** Why a workflow cannot set a variable; null if it can. */
function setProblem(name: string): string | null {
  if (!/^[A-Za-z_]\w*$/.test(name)) return `${quoted(name)} is not the name of a variable.`;
  const ofAgent = [...AGENT_VARIABLES, ...PROVIDER_VARIABLES.flatMap((each) => each.names)];
  if (!isReservedName(name) && !matchesVariable(ofAgent, name, true)) return null;
  return `A workflow cannot set ${name}: the variable changes what a program executes, or where the agent sends its requests.`;
}
