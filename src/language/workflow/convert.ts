import { Document, isMap, isScalar, type Pair, Scalar, visit, YAMLMap } from "yaml";
import type { StateName } from "../protocol/transition.ts";
import { composeYaml } from "./compose-yaml.ts";
import { workflowErrors } from "./errors.ts";
import { MANIFEST_NAME, parseManifest } from "./files/manifest.ts";
import type { SingleFile } from "./files/single-file.ts";
import { extensionOf, stemOf } from "./files/state-name.ts";
import { endOfBlock, parsePrompt } from "./front-matter.ts";
import { isSchemaName } from "./policy/schema-name.ts";
import { normalText } from "./yaml-fields.ts";

/**
 * Converts a workflow in one file, parsed from `text`, to the files of a folder: one per state and
 * schema, and a `workflow.yaml` if the file has other keys. Windows scripts get CRLF line endings.
 */
export function filesOf(single: SingleFile, text: string): ReadonlyMap<string, string> {
  const contents = contentsOf(text);
  const top = isMap(contents) ? contents.items : [];
  const states = top.find((pair) => keyOf(pair) === "states")?.value;
  const files = new Map<string, string>();
  for (const [name, { text: body, directive }] of single.states) {
    const pairs = isMap(states) ? states.items : [];
    const state = pairs.find((pair) => keyOf(pair) === stemOf(name))?.value;
    const settings = isMap(state) ? without(state, "prompt") : new YAMLMap();
    files.set(
      name,
      name.endsWith(".md") ? promptText(settings, body) : script(name, body, directive),
    );
  }
  for (const [name, { text: schema }] of single.schemas) files.set(name, schema);
  const about = isMap(contents) ? without(contents, "states", "schemas") : new YAMLMap();
  if (about.items.length > 0) files.set(MANIFEST_NAME, print(about));
  return files;
}

/**
 * Converts states, schemas and a `workflow.yaml` (null: none) to a workflow in one file. Throws `lint/RAY102` for an invalid file, and
 * `workflow/unconvertible` if one name is both a prompt and a script.
 */
export function singleFileOf(files: ReadonlyMap<string, string>, manifest: string | null): string {
  if (manifest !== null) parseManifest(manifest);
  const about = composeYaml(normalText(manifest ?? ""))?.contents;
  const top = isMap(about) ? about : new YAMLMap();
  const states = new YAMLMap<Scalar, YAMLMap>();
  const schemas = new YAMLMap<Scalar, Scalar>();
  for (const [name, text] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (isSchemaName(name)) {
      schemas.add({ key: new Scalar(name), value: literal(normalText(text)) });
      continue;
    }
    const stem = stemOf(name);
    const existing = states.items.find(({ key }) => key.value === stem)?.value;
    const extension = extensionOf(name);
    if (extension === ".md") {
      if (existing) throw workflowErrors["workflow/unconvertible"](stem);
      states.add({ key: new Scalar(stem), value: promptMap(name, text) });
      continue;
    }
    if (existing?.has("prompt") === true) throw workflowErrors["workflow/unconvertible"](stem);
    const state = existing ?? new YAMLMap();
    state.add({
      key: new Scalar(extension?.slice(1)),
      value: literal(normalText(text)),
    });
    if (existing === undefined || existing === null)
      states.add({ key: new Scalar(stem), value: state });
  }
  if (schemas.items.length > 0) top.add({ key: new Scalar("schemas"), value: schemas });
  top.add({ key: new Scalar("states"), value: states });
  return print(top);
}

/** The front matter of a prompt with its comments, and its text. */
function promptMap(name: StateName, text: string): YAMLMap {
  const { body } = parsePrompt(name, text);
  const source = normalText(text);
  const begin = "---\n";
  const block = source.startsWith(begin) ? source.slice(begin.length, endOfBlock(source)) : "";
  const contents = composeYaml(block)?.contents;
  const state = isMap(contents) ? contents : new YAMLMap();
  state.flow = false;
  state.add({ key: new Scalar("prompt"), value: literal(body) });
  return state;
}

function promptText(declared: YAMLMap, body: string): string {
  if (declared.items.length > 0) return `---\n${print(declared)}---\n${body}`;
  // An empty block keeps a body that starts with --- from being read as front matter.
  return body.startsWith("---") ? `---\n---\n${body}` : body;
}

/** A script with its settings as a directive comment, below the line that names the interpreter. */
function script(name: StateName, body: string, directive: string): string {
  const isBatch = extensionOf(name) === ".bat";
  const comment = isBatch ? `REM raymond: ${directive}` : `# raymond: ${directive}`;
  const [first = "", ...rest] = body.split("\n");
  const isOpening = isBatch ? /^@echo /i.test(first) : first.startsWith("#!");
  const lines =
    directive === ""
      ? body.split("\n")
      : isOpening
        ? [first, comment, ...rest]
        : [comment, first, ...rest];
  return lines.join(isBatch ? "\r\n" : "\n");
}

/** The contents of a YAML text. Aliases are expanded: their anchors may end up in another file. */
function contentsOf(text: string): unknown {
  const document = composeYaml(normalText(text));
  if (document === null) return null;
  let aliases = 0;
  visit(document, {
    Alias: () => {
      aliases += 1;
    },
  });
  return aliases === 0
    ? document.contents
    : new Document(document.toJS(), { aliasDuplicateObjects: false }).contents;
}

/** Removes a key from a mapping, but keeps the leading comment. */
function without(map: YAMLMap, ...dropped: readonly string[]): YAMLMap {
  const rest = new YAMLMap();
  rest.items = map.items.filter((pair) => !dropped.includes(keyOf(pair)));
  if (typeof map.commentBefore === "string") rest.commentBefore = map.commentBefore;
  return rest;
}

function print(map: YAMLMap): string {
  return new Document(map).toString({ lineWidth: 0 });
}

function literal(text: string): Scalar {
  const scalar = new Scalar(text);
  // A block of only blanks would be read as empty.
  scalar.type = text.trim() === "" ? Scalar.QUOTE_DOUBLE : Scalar.BLOCK_LITERAL;
  return scalar;
}

function keyOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : "";
}
