import { type JsonField, jsonReader } from "./json-field.ts";

export interface Rendered {
  readonly prompt: string;
  /** Names without a value, each once, in order. They are left as written. */
  readonly missing: readonly Placeholder[];
  /** An inserted value contains `@` that would attach a file: attachments must be disabled. */
  readonly disarmed: boolean;
}

/** A `{{name}}` in a body, or a field of the payload: `{{result.items.0}}`. */
export interface Placeholder {
  /** With the path. */
  readonly name: string;
  /** The value that it names: `result`. */
  readonly root: string;
  /** Empty without a path. */
  readonly path: readonly string[];
  /** The line of its first occurrence in the body, from 1. */
  readonly line: number;
  /** Offset of its first occurrence in the body. */
  readonly offset: number;
}

type Values = Readonly<Record<string, string>>;

const PLACEHOLDER = /\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)((?:\.[A-Za-z0-9_$-]+)*)[ \t]*\}\}/g;

/** The names of the pending payload. Only these values can have fields. */
export const PAYLOAD_NAMES: ReadonlySet<string> = new Set(["result", "input"]);

/**
 * Fills `{{name}}` in one pass: inserted values are not scanned again (docs/authoring.md, "Templates").
 * Data must not become a command: a prompt that starts with `/` only because of a value gets a newline
 * before it.
 */
export function renderTemplate(body: string, values: Values): Rendered {
  const filled = fillTemplate(body, values);
  const lookUpField = reader(values);
  const named = placeholdersIn(body);
  const texts = named.map(({ root, path }) => textOf(lookUpField(root, path)));
  const missing = named.filter((_, index) => texts[index] === undefined);
  const disarmed = texts.some((text) => /(?:^|\s)@/.test(text ?? ""));
  const command = filled.startsWith("/") && !body.startsWith("/");
  return { prompt: command ? `\n${filled}` : filled, missing, disarmed };
}

/** Fills placeholders of a text that is not a prompt. */
export function fillTemplate(text: string, values: Values): string {
  const lookUpField = reader(values);
  return text.replace(
    PLACEHOLDER,
    (placeholder: string, name: string, fields: string) =>
      textOf(lookUpField(name, pathOf(fields))) ?? placeholder,
  );
}

/** The placeholders of a body, each name once, at its first occurrence. */
export function placeholdersIn(body: string): readonly Placeholder[] {
  const found = new Map<string, Placeholder>();
  let line = 1;
  let counted = 0;
  for (const { 1: root = "", 2: fields = "", index } of body.matchAll(PLACEHOLDER)) {
    const name = root + fields;
    if (found.has(name) || (fields !== "" && !PAYLOAD_NAMES.has(root))) continue;
    line += body.slice(counted, index).split("\n").length - 1;
    counted = index;
    found.set(name, { name, root, path: pathOf(fields), line, offset: index });
  }
  return [...found.values()];
}

/** The first placeholder whose payload has no such field, and the problem; null if there is none. */
export function missingField(
  body: string,
  values: Values,
): { readonly placeholder: Placeholder; readonly problem: string } | null {
  const lookUpField = reader(values);
  for (const placeholder of placeholdersIn(body)) {
    const found = lookUpField(placeholder.root, placeholder.path);
    if (found?.ok === false) return { placeholder, problem: found.problem };
  }
  return null;
}

function pathOf(fields: string): readonly string[] {
  return fields === "" ? [] : fields.slice(1).split(".");
}

/** Reads the value of a placeholder; undefined if its name has no value. Parses each payload once. */
function reader(values: Values): (name: string, path: readonly string[]) => JsonField | undefined {
  const payloads = new Map<string, ReturnType<typeof jsonReader>>();
  return (name, path) => {
    const text = lookUp(name, values);
    if (text === undefined) return undefined;
    if (path.length === 0) return { ok: true, text };
    if (!PAYLOAD_NAMES.has(name)) return undefined;
    const read = payloads.get(name) ?? jsonReader(text);
    payloads.set(name, read);
    return read(path);
  };
}

function textOf(found: JsonField | undefined): string | undefined {
  return found?.ok === true ? found.text : undefined;
}

/** Own properties only: `{{constructor}}` is a name without a value. */
function lookUp(name: string, values: Values): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
