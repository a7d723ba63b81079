import { type Position, TOP } from "../../basics/place.ts";
import type { StateName } from "../../protocol/transition.ts";
import { readEach } from "../errors.ts";
import { promptFile } from "../front-matter.ts";
import { parseScript, printSettings, readScriptKeys } from "../policy/directive.ts";
import { schemaNameProblem } from "../policy/schema-name.ts";
import { quoted } from "../quote.ts";
import { fileErrorAt, mapping, normalText } from "../yaml-fields.ts";
import { type Entry, type ErrorAt, parseYaml, type Scalar } from "../yaml-tree.ts";
import { type Manifest, readManifest, WORKFLOW_FILE } from "./manifest.ts";
import type { StateFile } from "./state-file.ts";
import { EXTENSIONS, extensionOf, foldedName, stateNameProblem } from "./state-name.ts";

/** A workflow in one file (docs/authoring.md, "Single-file workflows"). */
export interface SingleFile {
  readonly manifest: Manifest;
  /** Sorted by name. */
  readonly states: ReadonlyMap<StateName, SingleState>;
  /** By name, sorted. */
  readonly schemas: ReadonlyMap<string, SingleSchema>;
}

export interface SingleSchema {
  readonly text: string;
  /** The start of the text in the file. */
  readonly at: Position;
}

export interface SingleState {
  /** With positions in the whole file. */
  readonly file: StateFile;
  /** The prompt or script only. */
  readonly text: string;
  /** The settings of a script as a directive comment; empty if none. */
  readonly directive: string;
}

const MAX_CHARS = 4 * 1024 * 1024;

/**
 * Parses a workflow in one file: the keys of `workflow.yaml`, `states`, a mapping from names to a
 * `prompt` or scripts (`sh`, `bat`, `ps1`) with their settings, and `schemas`, a mapping from names to
 * texts. Throws {@link InvalidFileError}.
 */
export function parseSingleFile(text: string, path: string): SingleFile {
  const errorAt = fileErrorAt(path);
  const source = normalText(text);
  if (source.length > MAX_CHARS) {
    throw errorAt(TOP, "The file exceeds 4 MiB.", "Move large data to separate files.");
  }
  const tree = parseYaml(source, errorAt, WORKFLOW_FILE);
  const entries = tree === null ? [] : mapping(tree, "The file", errorAt).entries;
  const states = entries.find(({ key }) => key === "states");
  if (states === undefined) {
    const hint = "Add the states below the key states, such as START: { prompt: … }";
    throw errorAt(TOP, "The key states is missing.", hint);
  }
  const schemas = entries.find(({ key }) => key === "schemas");
  const manifest = readManifest(
    entries.filter((entry) => entry !== states && entry !== schemas),
    errorAt,
  );
  const all = mapping(states.value, "states", errorAt).entries;
  if (all.length === 0) throw errorAt(states.at, "states is empty.", "Add at least one state.");
  checkUniqueNames(all, errorAt);
  const read = readEach(all, (entry) => readStates(entry, path, errorAt)).flat();
  const sorted = read.sort(([a], [b]) => (a < b ? -1 : 1));
  return { manifest, states: new Map(sorted), schemas: readSchemas(schemas, errorAt) };
}

function readSchemas(
  entry: Entry | undefined,
  errorAt: ErrorAt,
): ReadonlyMap<string, SingleSchema> {
  if (entry === undefined) return new Map();
  const { entries } = mapping(entry.value, "schemas", errorAt);
  checkUniqueNames(entries, errorAt, "schemas");
  const read = entries.map((each) => {
    const problem = schemaNameProblem(each.key);
    if (problem !== null) {
      throw errorAt(each.at, `The name of a schema ${problem}.`, "Example: plan.schema.json: |");
    }
    const { text, textAt: at } = content(each, errorAt);
    return [each.key, { text, at }] as const;
  });
  return new Map(read.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The states of an entry: a script can have variants for several platforms. */
function readStates(
  { key, at, value }: Entry,
  path: string,
  errorAt: ErrorAt,
): readonly (readonly [StateName, SingleState])[] {
  const problem =
    stateNameProblem(key) ?? (key === key.trim() ? null : "starts or ends with a space");
  if (problem !== null)
    throw errorAt(
      at,
      `The name of a state ${problem}.`,
      "Use a name without folders and surrounding spaces.",
    );
  if (extensionOf(key) !== null) {
    const hint = `Remove the extension. The key ${CONTENTS} below it sets the type.`;
    throw errorAt(at, `State ${quoted(key)} has an extension.`, hint);
  }
  const { entries } = mapping(value, `State ${quoted(key)}`, errorAt);
  const prompt = entries.find((entry) => entry.key === "prompt");
  const scripts = entries.filter((entry) => SCRIPTS.includes(entry.key));
  const [script] = scripts;
  const others = entries.filter((entry) => entry !== prompt && !scripts.includes(entry));
  if (prompt !== undefined && script !== undefined) {
    throw errorAt(
      script.at,
      `State ${quoted(key)} has both prompt and ${script.key}.`,
      "Split it into two states.",
    );
  }
  if (prompt !== undefined) {
    const { text, textAt } = content(prompt, errorAt);
    const name = `${key}.md`;
    const declared = { kind: "map", entries: others, at: value.at } as const;
    const file = promptFile(name, declared, text, errorAt, textAt);
    return [[name, { file, text, directive: "" }]];
  }
  if (script === undefined) {
    throw errorAt(at, `State ${quoted(key)} has no ${CONTENTS}.`, EXAMPLE);
  }
  const settings = readScriptKeys(others, errorAt);
  return scripts.map((one) => {
    const { text, textAt } = content(one, errorAt);
    const name = `${key}.${one.key}`;
    const file = parseScript(name, text, path, { begin: textAt, beside: settings });
    return [name, { file, text, directive: printSettings(others) }] as const;
  });
}

/** The keys of scripts: their extensions without the dot. */
const SCRIPTS: readonly string[] = EXTENSIONS.filter((one) => one !== ".md").map((extension) =>
  extension.slice(1),
);

const CONTENTS = `prompt, ${SCRIPTS.slice(0, -1).join(", ")} or ${SCRIPTS.at(-1) ?? ""}`;

const EXAMPLE = "Add the content of the state, such as prompt: |";

function content({ key, value }: Entry, errorAt: ErrorAt): Scalar {
  if (value.kind === "scalar" && (value.isText || value.text !== "")) return value;
  const problem = value.kind === "scalar" ? "is empty" : "must be a string";
  throw errorAt(value.at, `${key} ${problem}.`, `Write ${key}: | and the text below it, indented.`);
}

/** Names that would be one file on some disk. */
function checkUniqueNames(entries: readonly Entry[], errorAt: ErrorAt, what = "states"): void {
  const seen = new Map<string, Entry>();
  for (const entry of entries) {
    const folded = foldedName(entry.key);
    const first = seen.get(folded);
    seen.set(folded, entry);
    if (first === undefined) continue;
    throw errorAt(
      entry.at,
      `The ${what} ${quoted(first.key)} (line ${String(first.at.line)}) and ${quoted(entry.key)} differ only in case: they would be the same file on macOS and Windows.`,
      "Rename one of them.",
    );
  }
}
