import { type DeclaredPermissions, NONE_DECLARED } from "../../permissions/declared.ts";
import { attributeNameProblem, attributeValueProblem } from "../../protocol/scan/attributes.ts";
import { readEach } from "../errors.ts";
import {
  isDefaultKey,
  parseSandbox,
  readDefault,
  type WorkflowDefaults,
} from "../policy/declarations.ts";
import {
  type DeclaredEnvironment,
  NO_ENVIRONMENT,
  parseEnvironment,
} from "../policy/declared-environment.ts";
import {
  declaredPermissions,
  isPermissionKey,
  PERMISSION_KEYS,
} from "../policy/permission-keys.ts";
import type { Sandbox } from "../policy/sandbox.ts";
import { type DeclaredWorktree, NO_WORKTREE, parseWorktree } from "../policy/worktree.ts";
import { listed, quoted, unknownKey } from "../quote.ts";
import {
  fileErrorAt,
  mapping,
  normalText,
  plain,
  readFields,
  text,
  truth,
} from "../yaml-fields.ts";
import { type Entry, type ErrorAt, parseYaml, type Tree, type YamlKind } from "../yaml-tree.ts";
import type { FileWarning } from "./state-file.ts";

/** The metadata and parameters of a workflow (docs/authoring.md, "Workflow declaration"). */
export interface Manifest {
  readonly name: string | null;
  readonly description: string | null;
  /** The declaration of `--input`; null if there is none. */
  readonly input: { readonly description: string | null; readonly required: boolean } | null;
  /** The declared variables, in the order of the file. */
  readonly vars: readonly DeclaredVar[];
  /** Settings that flags, environment and configuration override. */
  readonly defaults: WorkflowDefaults;
  /** The environment of states that do not declare their own. */
  readonly env: DeclaredEnvironment;
  /** Of states that declare none themselves. They limit those of the user. */
  readonly permissions: DeclaredPermissions;
  /** Of states that declare none themselves; null: not declared. That of the user applies as well. */
  readonly sandbox: Sandbox | null;
  readonly worktree: DeclaredWorktree;
  /** Lint rules whose warnings and notes are not reported. */
  readonly lintIgnore: readonly string[];
  readonly warnings: readonly FileWarning[];
}

export interface DeclaredVar {
  readonly name: string;
  readonly description: string | null;
  readonly default: string | null;
  readonly required: boolean;
  /** The allowed values; null: any. */
  readonly options: readonly string[] | null;
}

export const MANIFEST_NAME = "workflow.yaml";

export const NO_MANIFEST: Manifest = {
  name: null,
  description: null,
  input: null,
  vars: [],
  defaults: {},
  env: NO_ENVIRONMENT,
  permissions: NONE_DECLARED,
  sandbox: null,
  worktree: NO_WORKTREE,
  lintIgnore: [],
  warnings: [],
};

export const WORKFLOW_FILE: YamlKind = {
  name: "a workflow file",
  hint: "Correct the YAML in this line. Indent with spaces, not with tabs.",
  mostNodes: 100_000,
};

/** Parses a `workflow.yaml`. Throws {@link InvalidFileError}. */
export function parseManifest(text: string, path: string = MANIFEST_NAME): Manifest {
  const errorAt = fileErrorAt(path);
  const tree = parseYaml(normalText(text), errorAt, WORKFLOW_FILE);
  if (tree === null) return NO_MANIFEST;
  const { entries } = mapping(tree, "The file", errorAt);
  const states = entries.find(({ key }) => key === "states");
  if (states !== undefined) {
    throw errorAt(
      states.at,
      "states is not allowed in workflow.yaml: the states of a folder are its files.",
      "To run a workflow in one file, give it another name and start it by its path.",
    );
  }
  return readManifest(entries, errorAt);
}

/** Reads all keys but `states`. */
export function readManifest(entries: readonly Entry[], errorAt: ErrorAt): Manifest {
  const manifest: { -readonly [K in keyof Manifest]: Manifest[K] } = { ...NO_MANIFEST };
  const defaults: [string, unknown][] = [];
  const limits: [string, unknown][] = [];
  const warnings: FileWarning[] = [];
  readEach(entries, ({ key, at, value }) => {
    if (key === "name" || key === "description") manifest[key] = text(value, key, errorAt);
    else if (key === "lint_ignore") manifest.lintIgnore = readRules(value, errorAt);
    else if (key === "input") manifest.input = readInput(value, errorAt);
    else if (key === "vars") {
      const { entries: vars } = mapping(value, key, errorAt);
      manifest.vars = readEach(vars, (entry) => readVar(entry, errorAt));
    } else if (key === "env") manifest.env = parseEnvironment(value, errorAt, key);
    else if (key === "sandbox") manifest.sandbox = parseSandbox(value, errorAt, key);
    else if (key === "worktree") manifest.worktree = parseWorktree(value, errorAt, key);
    else if (isPermissionKey(key)) limits.push([key, PERMISSION_KEYS[key](value, errorAt, key)]);
    else if (isDefaultKey(key)) defaults.push([key, readDefault(key, value, errorAt)]);
    else if (USER_SETTINGS.test(key)) throw errorAt(at, notAllowed(key), SET_BY_USER);
    else warnings.push({ line: at.line, message: unknownKey("key", key, KEYS) });
  });
  return {
    ...manifest,
    defaults: Object.fromEntries(defaults),
    permissions: declaredPermissions(Object.fromEntries(limits), entries),
    warnings,
  };
}

const KEYS: readonly string[] = [
  ...["name", "description", "input", "vars", "states", "lint_ignore"],
  ...["agent", "budget", "model", "effort", "max_parallel", "tools", "env"],
  ...["fallback_model", "max_turns", "on_denied", "sandbox", "worktree"],
  ...Object.keys(PERMISSION_KEYS),
];

/** Set by the user: a workflow may be untrusted. It can limit permissions, but not grant any. */
const USER_SETTINGS =
  /^(?:dangerously_skip_permissions|skip_permissions|permission|permission_mode|allowed_tools|disallowed_tools|notify|client|memory|state_dir|workflow_path|launch_dir|cd|cwd|debug)$/;

const SET_BY_USER = "Remove it. The user sets it with a flag or in their configuration.";

function notAllowed(key: string): string {
  return `A workflow cannot set ${key}: permissions, notify and paths are settings of the user.`;
}

function readInput(tree: Tree, errorAt: ErrorAt): Manifest["input"] {
  const { entries } = mapping(tree, "input", errorAt);
  const fields = readFields(entries, "input", { description: text, required: truth }, errorAt);
  return { description: fields.description ?? null, required: fields.required ?? false };
}

function readRules(tree: Tree, errorAt: ErrorAt): readonly string[] {
  const hint = "Write for example: lint_ignore: [RAY401]";
  if (tree.kind !== "list") throw errorAt(tree.at, "lint_ignore must be a list.", hint);
  return readEach(tree.items, (item) => {
    const rule = item.kind === "scalar" ? item.text.trim() : "";
    if (/^RAY\d{3}$/.test(rule)) return rule;
    throw errorAt(item.at, `${quoted(rule)} is not the ID of a lint rule.`, hint);
  });
}

const VAR_KEYS = { description: text, default: plain, required: truth, options: readOptions };

function readVar({ key: name, at, value }: Entry, errorAt: ErrorAt): DeclaredVar {
  const problem = attributeNameProblem(name);
  if (problem !== null) throw errorAt(at, problem, "Choose another name.");
  const owner = `variable ${quoted(name)}`;
  const isBare = value.kind === "scalar" && value.text === "";
  const entries = isBare ? [] : mapping(value, `The ${owner}`, errorAt).entries;
  const found: DeclaredVar = {
    ...{ name, description: null, default: null, required: false, options: null },
    ...readFields(entries, owner, VAR_KEYS, errorAt),
  };
  if (found.required && found.default !== null) {
    throw errorAt(at, `The variable ${name} is required but has a default.`, "Remove one of them.");
  }
  const unfit = found.default === null ? null : varProblem(found, found.default);
  if (unfit !== null) throw errorAt(at, `The default of ${unfit}`, "Choose another default.");
  return found;
}

/** Why a variable cannot have this value, as a sentence that starts with its name; null if it can. */
export function varProblem({ name, options }: DeclaredVar, value: string): string | null {
  const problem = attributeValueProblem(value);
  if (problem !== null) return `${name} is invalid: ${problem}`;
  if (options === null || options.includes(value)) return null;
  return `${name} cannot be ${quoted(value)}. Allowed values: ${listed(options)}.`;
}

function readOptions(tree: Tree, _key: string, errorAt: ErrorAt): readonly string[] {
  const hint = "Write for example: options: [small, large]";
  if (tree.kind !== "list" || tree.items.length === 0) {
    throw errorAt(tree.at, "options must be a non-empty list.", hint);
  }
  const seen = new Set<string>();
  for (const item of tree.items) {
    const value = plain(item, "option", errorAt);
    if (seen.has(value)) throw errorAt(item.at, `Duplicate option ${quoted(value)}.`, hint);
    seen.add(value);
  }
  return [...seen];
}
