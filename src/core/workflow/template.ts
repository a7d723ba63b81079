/** A prompt with its placeholders filled. */
export interface Rendered {
  readonly prompt: string;
  /** Names without a value, each once, in order: they stay as written, with a warning. */
  readonly missing: readonly Missing[];
  /** An inserted value has `@` where a client would attach a file: attachments must be off. */
  readonly disarmed: boolean;
}

/** A placeholder without a value. */
export interface Missing {
  readonly name: string;
  /** The line of the body, from 1, in which it stands first. */
  readonly line: number;
}

const PLACEHOLDER = /\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}/g;

/**
 * Fills `{{name}}` with the values, in one pass: what is inserted is never
 * scanned again (docs/authoring.md, "Templates"). Data must not become a
 * command: a prompt that begins with `/` only because of a value gets a newline
 * before it.
 */
export function renderTemplate(body: string, values: Readonly<Record<string, string>>): Rendered {
  const missing = new Map<string, Missing>();
  let disarmed = false;

  const filled = body.replace(PLACEHOLDER, (placeholder: string, name: string, offset: number) => {
    // Own properties only: `{{constructor}}` is a name without a value.
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) {
      if (!missing.has(name)) {
        missing.set(name, { name, line: body.slice(0, offset).split("\n").length });
      }
      return placeholder;
    }
    disarmed ||= /(?:^|\s)@/.test(value);
    return value;
  });

  const command = filled.startsWith("/") && !body.startsWith("/");
  return { prompt: command ? `\n${filled}` : filled, missing: [...missing.values()], disarmed };
}
