import { attributeNameProblem, attributeValueProblem } from "../protocol/attributes.ts";
import { isDefaultKey, readDefault, type WorkflowDefaults } from "./declarations.ts";
import { BadWorkflowFileError } from "./errors.ts";
import { unknownKey } from "./meant.ts";
import { listed, quoted } from "./quote.ts";
import type { FileWarning } from "./state-file.ts";
import {
  type Complain,
  type Entry,
  type Mapping,
  parseYaml,
  type Tree,
  type YamlKind,
} from "./yaml-tree.ts";

/** What a workflow says of itself (docs/authoring.md, "What a workflow takes"). */
export interface Manifest {
  readonly name: string | null;
  readonly description: string | null;
  /** What `--input` is; null where nothing is said of it. */
  readonly input: { readonly description: string | null; readonly required: boolean } | null;
  /** What `--var` may give, in the order of the file. */
  readonly vars: readonly DeclaredVar[];
  /** For what neither flags, environment nor configuration say. */
  readonly defaults: WorkflowDefaults;
  readonly warnings: readonly FileWarning[];
}

export interface DeclaredVar {
  readonly name: string;
  readonly description: string | null;
  readonly default: string | null;
  readonly required: boolean;
  /** The values that it may have; null: any. */
  readonly options: readonly string[] | null;
}

/** The file beside the states of a folder or zip. */
export const MANIFEST_NAME = "workflow.yaml";

/** A workflow that says nothing of itself. */
export const NO_MANIFEST: Manifest = {
  name: null,
  description: null,
  input: null,
  vars: [],
  defaults: {},
  warnings: [],
};

export const WORKFLOW_FILE: YamlKind = {
  name: "a workflow's file",
  mend: "Correct the YAML in this line; indent by blanks, never by tabs.",
  mostNodes: 100_000,
};

/** Throws what is wrong with a workflow's file, by path, line and column. */
export function complainOf(path: string): Complain {
  return (at, problem, hint) => new BadWorkflowFileError(path, at, problem, hint);
}

/** Reads a `workflow.yaml`, which has no states. Throws a {@link BadWorkflowFileError}. */
export function parseManifest(text: string, path: string = MANIFEST_NAME): Manifest {
  const complain = complainOf(path);
  const tree = parseYaml(
    text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n"),
    complain,
    WORKFLOW_FILE,
  );
  if (tree === null) return NO_MANIFEST;
  const { entries } = mapping(tree, "The file", complain);
  const states = entries.find(({ key }) => key === "states");
  if (states !== undefined) {
    throw complain(
      states.at,
      "states belong into a workflow of one file, and here they would be beside those of the folder.",
      "Give that file another name, and start it by its path.",
    );
  }
  return readManifest(entries, complain);
}

/** What these keys say, all but `states`. Throws what `complain` makes. */
export function readManifest(entries: readonly Entry[], complain: Complain): Manifest {
  const manifest: { -readonly [K in keyof Manifest]: Manifest[K] } = { ...NO_MANIFEST };
  const defaults: [string, unknown][] = [];
  const warnings: FileWarning[] = [];
  for (const { key, at, value } of entries) {
    if (key === "name" || key === "description") manifest[key] = text(value, key, complain);
    else if (key === "input") manifest.input = readInput(value, complain);
    else if (key === "vars") manifest.vars = readVars(value, complain);
    else if (isDefaultKey(key)) defaults.push([key, readDefault(key, value, complain)]);
    else if (THE_USERS.test(key)) throw complain(at, notHere(key), ASK_THE_USER);
    else warnings.push({ line: at.line, message: unknownKey("key", key, KEYS) });
  }
  return { ...manifest, defaults: Object.fromEntries(defaults), warnings };
}

const KEYS = [
  ...["name", "description", "input", "vars", "states"],
  ...["budget", "model", "effort", "max_parallel", "tools"],
] as const;

/** What opens doors, calls programs or says where things lie: a workflow may come from a stranger. */
const THE_USERS =
  /^(?:dangerously_skip_permissions|skip_permissions|permissions?|permission_mode|allowed_tools|disallowed_tools|notify|client|memory|state_dir|workflow_path|launch_dir|cd|cwd|debug)$/;

const ASK_THE_USER =
  "Leave it out: whoever runs the workflow says so, by a flag or in their own configuration.";

function notHere(key: string): string {
  return `${key} cannot be set by a workflow: permissions, notify and paths are the user's to say.`;
}

function readInput(tree: Tree, complain: Complain): Manifest["input"] {
  const { entries } = mapping(tree, "input", complain);
  let description: string | null = null;
  let required = false;
  for (const { key, at, value } of entries) {
    if (key === "description") description = text(value, key, complain);
    else if (key === "required") required = truth(value, key, complain);
    else throw complain(at, `input has no ${quoted(key)}.`, "It has description and required.");
  }
  return { description, required };
}

function readVars(tree: Tree, complain: Complain): readonly DeclaredVar[] {
  return mapping(tree, "vars", complain).entries.map((entry) => readVar(entry, complain));
}

function readVar({ key: name, at, value }: Entry, complain: Complain): DeclaredVar {
  const problem = attributeNameProblem(name);
  if (problem !== null) throw complain(at, problem, "Choose another name.");
  const found: { -readonly [K in keyof DeclaredVar]: DeclaredVar[K] } = {
    ...{ name, description: null, default: null, required: false, options: null },
  };
  const isBare = value.kind === "scalar" && value.text === "";
  for (const entry of isBare ? [] : mapping(value, `The var ${quoted(name)}`, complain).entries) {
    switch (entry.key) {
      case "description":
        found.description = text(entry.value, entry.key, complain);
        break;
      case "default":
        found.default = plain(entry.value, entry.key, complain);
        break;
      case "required":
        found.required = truth(entry.value, entry.key, complain);
        break;
      case "options":
        found.options = readOptions(entry.value, complain);
        break;
      default:
        throw complain(
          entry.at,
          `A var has no ${quoted(entry.key)}.`,
          "It has description, default, required and options.",
        );
    }
  }
  if (found.required && found.default !== null) {
    throw complain(at, `${name} is required and has a default.`, "Keep one of them.");
  }
  const unfit = found.default === null ? null : varProblem(found, found.default);
  if (unfit !== null) throw complain(at, `The default of ${unfit}`, "Choose another default.");
  return found;
}

/** Why a variable cannot have this value, as a sentence that begins with its name; null where it can. */
export function varProblem({ name, options }: DeclaredVar, value: string): string | null {
  const problem = attributeValueProblem(value);
  if (problem !== null) return `${name} cannot be used: ${problem}`;
  if (options === null || options.includes(value)) return null;
  return `${name} cannot be ${quoted(value)}: it is one of ${listed(options)}.`;
}

function readOptions(tree: Tree, complain: Complain): readonly string[] {
  const hint = "Write for example: options: [small, large]";
  if (tree.kind !== "list" || tree.items.length === 0) {
    throw complain(tree.at, "options must be a list of values, with one at least.", hint);
  }
  const seen = new Set<string>();
  for (const item of tree.items) {
    const value = plain(item, "option", complain);
    if (seen.has(value))
      throw complain(item.at, `The option ${quoted(value)} is there twice.`, hint);
    seen.add(value);
  }
  return [...seen];
}

/** The mapping that a tree must be. */
export function mapping(tree: Tree, what: string, complain: Complain): Mapping {
  if (tree.kind === "map") return tree;
  throw complain(
    tree.at,
    `${what} must be a mapping of keys to values.`,
    "Write it as key: value.",
  );
}

function text(tree: Tree, key: string, complain: Complain): string {
  const words = plain(tree, key, complain).trim();
  if (words !== "") return words;
  throw complain(tree.at, `${key} is empty.`, "Write a text, or leave the key out.");
}

function plain(tree: Tree, key: string, complain: Complain): string {
  if (tree.kind === "scalar") return tree.text;
  throw complain(tree.at, `${key} must be a text.`, "Write a single value.");
}

function truth(tree: Tree, key: string, complain: Complain): boolean {
  if (tree.kind === "scalar" && !tree.isText && tree.text === "true") return true;
  if (tree.kind === "scalar" && !tree.isText && tree.text === "false") return false;
  throw complain(tree.at, `${key} must be true or false.`, `Write ${key}: true`);
}
