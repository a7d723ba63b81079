/** An argument of `raymond tag`. */
export interface TagWord {
  /** The attribute; null for the content of the tag. */
  readonly name: string | null;
  /** The value is the text itself, a file (`-`: standard input), or a file with one value per line. */
  readonly from: "text" | "file" | "lines";
  readonly value: string;
}

export interface TagWordFault {
  readonly kind: "second-content" | "no-value";
  readonly word: string;
}

/** Parses the arguments after `raymond tag TAG` (docs/cli.md, "raymond tag"). */
export function readTagWords(
  words: readonly string[],
): { readonly values: readonly TagWord[] } | { readonly fault: TagWordFault } {
  const left = [...words];
  const values: TagWord[] = [];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    // After `--` an argument is text, even if it starts with a dash.
    const literal = word === "--" ? left.shift() : undefined;
    if (literal === undefined && word.startsWith("--")) {
      const attribute = readAttribute(word, left);
      if (attribute === null) return { fault: { kind: "no-value", word } };
      values.push(attribute);
      continue;
    }
    const value = literal ?? word;
    if (values.some(({ name }) => name === null)) {
      return { fault: { kind: "second-content", word: value } };
    }
    const isStdin = value === "-" && literal === undefined;
    values.push({ name: null, from: isStdin ? "file" : "text", value });
  }
  return { values };
}

/** `--NAME VALUE` or `--NAME=VALUE`. Removes the value from `left`; null if there is none. */
function readAttribute(word: string, left: string[]): TagWord | null {
  const [, flag = "", attached] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  const value = attached ?? left.shift();
  if (value === undefined) return null;
  // Attribute names contain no dash.
  const [, name = flag, from] = /^(.*)-(file|lines)$/.exec(flag) ?? [];
  return { name, value, from: from === "file" || from === "lines" ? from : "text" };
}
