export interface Rendered {
  readonly prompt: string;
  /** Names without a value, each once, in order. They are left as written. */
  readonly missing: readonly Placeholder[];
  /** An inserted value contains `@` that would attach a file: attachments must be disabled. */
  readonly disarmed: boolean;
}

/** A `{{name}}` in a body. */
export interface Placeholder {
  readonly name: string;
  /** The line of its first occurrence in the body, from 1. */
  readonly line: number;
  /** Offset of its first occurrence in the body. */
  readonly offset: number;
}

const PLACEHOLDER = /\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}/g;

/**
 * Fills `{{name}}` in one pass: inserted values are not scanned again (docs/authoring.md, "Templates").
 * Data must not become a command: a prompt that starts with `/` only because of a value gets a newline
 * before it.
 */
export function renderTemplate(body: string, values: Readonly<Record<string, string>>): Rendered {
  const filled = fillTemplate(body, values);
  const named = placeholdersIn(body);
  const missing = named.filter(({ name }) => lookUp(name, values) === undefined);
  const disarmed = named.some(({ name }) => /(?:^|\s)@/.test(lookUp(name, values) ?? ""));
  const command = filled.startsWith("/") && !body.startsWith("/");
  return { prompt: command ? `\n${filled}` : filled, missing, disarmed };
}

/** Fills placeholders of a text that is not a prompt. */
export function fillTemplate(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(
    PLACEHOLDER,
    (placeholder: string, name: string) => lookUp(name, values) ?? placeholder,
  );
}

/** The placeholders of a body, each name once, at its first occurrence. */
export function placeholdersIn(body: string): readonly Placeholder[] {
  const found = new Map<string, Placeholder>();
  let line = 1;
  let counted = 0;
  for (const { 1: name = "", index } of body.matchAll(PLACEHOLDER)) {
    if (found.has(name)) continue;
    line += body.slice(counted, index).split("\n").length - 1;
    counted = index;
    found.set(name, { name, line, offset: index });
  }
  return [...found.values()];
}

/** Own properties only: `{{constructor}}` is a name without a value. */
function lookUp(name: string, values: Readonly<Record<string, string>>): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
