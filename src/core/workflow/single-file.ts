import type { StateName } from "../protocol/transition.ts";
import { parseScript, printSettings, readScriptKeys } from "./directive.ts";
import { promptFile } from "./front-matter.ts";
import { complainOf, type Manifest, mapping, readManifest, WORKFLOW_FILE } from "./manifest.ts";
import { quoted } from "./quote.ts";
import type { StateFile } from "./state-file.ts";
import { EXTENSIONS, extensionOf, foldedName, stateNameProblem } from "./state-name.ts";
import { type Complain, type Entry, parseYaml, type Scalar } from "./yaml-tree.ts";

/** A workflow in one file (docs/authoring.md, "A workflow in one file"). */
export interface SingleFile {
  readonly manifest: Manifest;
  /** By name, sorted, as a folder would list them. */
  readonly states: ReadonlyMap<StateName, SingleState>;
}

export interface SingleState {
  /** With its places in the whole file. */
  readonly file: StateFile;
  /** Its prompt or its script alone. */
  readonly text: string;
  /** What it says beside the text of a script, as the words of a directive comment; empty: nothing. */
  readonly directive: string;
}

/** Longer files are not written by people, nor read. */
const LONGEST = 4 * 1024 * 1024;

/**
 * Reads a workflow of one file: `states`, a mapping from names to a `prompt` or to
 * scripts (`sh`, `bat`, `ps1`) with the keys of front matter beside, and what the workflow says of
 * itself. All states are read, so that what is wrong in any is found at once.
 * Throws a {@link BadWorkflowFileError} with the line in this file, or what
 * reading a script throws.
 */
export function parseSingleFile(text: string, path: string): SingleFile {
  const complain = complainOf(path);
  const source = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const top = { line: 1, column: 1 };
  if (source.length > LONGEST) {
    throw complain(
      top,
      "The file is longer than 4 MiB.",
      "Put large data into files of their own.",
    );
  }
  const tree = parseYaml(source, complain, WORKFLOW_FILE);
  const entries = tree === null ? [] : mapping(tree, "The file", complain).entries;
  const states = entries.find(({ key }) => key === "states");
  if (states === undefined) {
    const hint = "Write states: and below it each state, as in START: { prompt: … }";
    throw complain(top, "A workflow of one file needs the key states.", hint);
  }
  const manifest = readManifest(
    entries.filter((entry) => entry !== states),
    complain,
  );
  const all = mapping(states.value, "states", complain).entries;
  if (all.length === 0) throw complain(states.at, "There are no states.", "Write at least one.");
  refuseTwins(all, complain);
  const read = all.flatMap((entry) => readStates(entry, path, complain));
  const sorted = read.sort(([a], [b]) => (a < b ? -1 : 1));
  return { manifest, states: new Map(sorted) };
}

/** The state of each content: a script may be there for both platforms. */
function readStates(
  { key, at, value }: Entry,
  path: string,
  complain: Complain,
): readonly (readonly [StateName, SingleState])[] {
  const problem = stateNameProblem(key) ?? (key === key.trim() ? null : "has blanks at its ends");
  if (problem !== null)
    throw complain(
      at,
      `The name of a state ${problem}.`,
      "Give it a name of its own, without folders and blanks around it.",
    );
  if (extensionOf(key) !== null) {
    const hint = `Leave the extension out: ${CONTENTS} below it say what it is.`;
    throw complain(at, `The state ${quoted(key)} has an extension.`, hint);
  }
  const { entries } = mapping(value, `The state ${quoted(key)}`, complain);
  const prompt = entries.find((entry) => entry.key === "prompt");
  const scripts = entries.filter((entry) => SCRIPTS.includes(entry.key));
  const [script] = scripts;
  const others = entries.filter((entry) => entry !== prompt && !scripts.includes(entry));
  if (prompt !== undefined && script !== undefined) {
    throw complain(
      script.at,
      `The state ${quoted(key)} has both prompt and ${script.key}.`,
      "A state asks or computes: make two states of it.",
    );
  }
  if (prompt !== undefined) {
    const { text, textAt } = content(prompt, complain);
    const name = `${key}.md`;
    const declared = { kind: "map", entries: others, at: value.at } as const;
    const file = promptFile(name, declared, text, complain, textAt);
    return [[name, { file, text, directive: "" }]];
  }
  if (script === undefined) {
    throw complain(at, `The state ${quoted(key)} has no ${CONTENTS}.`, EXAMPLE);
  }
  const beside = readScriptKeys(others, complain);
  return scripts.map((one) => {
    const { text, textAt } = content(one, complain);
    const name = `${key}.${one.key}`;
    const file = parseScript(name, text, path, { begin: textAt, beside });
    return [name, { file, text, directive: printSettings(others) }] as const;
  });
}

/** What a script stands under: the extension that it has in a folder. */
const SCRIPTS: readonly string[] = EXTENSIONS.filter((one) => one !== ".md").map((extension) =>
  extension.slice(1),
);

const CONTENTS = `prompt, ${SCRIPTS.slice(0, -1).join(", ")} or ${SCRIPTS.at(-1) ?? ""}`;

const EXAMPLE = "Write what it does below it, such as prompt: |";

function content({ key, value }: Entry, complain: Complain): Scalar {
  if (value.kind === "scalar" && (value.isText || value.text !== "")) return value;
  const problem = value.kind === "scalar" ? "is empty" : "must be a text";
  throw complain(
    value.at,
    `${key} ${problem}.`,
    `Write ${key}: | and the text below it, indented.`,
  );
}

/** Names that would be one file on some disk. */
function refuseTwins(entries: readonly Entry[], complain: Complain): void {
  const seen = new Map<string, Entry>();
  for (const entry of entries) {
    const folded = foldedName(entry.key);
    const first = seen.get(folded);
    seen.set(folded, entry);
    if (first === undefined) continue;
    throw complain(
      entry.at,
      `The states ${quoted(first.key)}, in line ${String(first.at.line)}, and ${quoted(entry.key)} would be one file on macOS and Windows.`,
      "Rename one of them, by more than the case of its letters.",
    );
  }
}
