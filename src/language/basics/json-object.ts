export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch {
    return undefined;
  }
}

/** `JSON.parse` for a text that others may have written: deep nesting takes 70 times the memory of the text. */
export function parseBoundedJson(text: string): unknown {
  if (text.length > SMALL && isDeep(text)) {
    throw new SyntaxError(`It is nested more than ${String(MAX_DEPTH)} levels deep`);
  }
  return JSON.parse(text);
}

/** Characters of a text of which any nesting takes little memory. */
const SMALL = 2 ** 20;
const MAX_DEPTH = 1_000;

/** Counts brackets outside of strings. */
function isDeep(text: string): boolean {
  const tokens = /["[\]{}]/g;
  let depth = 0;
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    const [token] = found;
    if (token === '"') {
      tokens.lastIndex = endOfString(text, tokens.lastIndex);
    } else if (token === "[" || token === "{") {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else {
      depth -= 1;
    }
  }
  return false;
}

/** The position after the quote that ends a string. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start); at !== -1; at = text.indexOf('"', at + 1)) {
    let first = at;
    while (first > start && text.charAt(first - 1) === "\\") first -= 1;
    if ((at - first) % 2 === 0) return at + 1;
  }
  return text.length;
}
