/** A value of `raymond tag` as its words give it. */
export interface TagWord {
  /** Of an attribute; null for the content of the tag. */
  readonly name: string | null;
  /** Where the value comes from: it is the text itself, or names a file (`-` for standard input) or one with a value a line. */
  readonly from: "text" | "file" | "lines";
  readonly value: string;
}

/** Why words cannot be read: a second content, or an attribute without its value. */
export interface TagWordFault {
  readonly kind: "second-content" | "no-value";
  readonly word: string;
}

/** Reads the words behind `raymond tag TAG` (docs/cli.md, "raymond tag"). */
export function readTagWords(
  words: readonly string[],
): { readonly values: readonly TagWord[] } | { readonly fault: TagWordFault } {
  const left = [...words];
  const values: TagWord[] = [];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    // Behind `--` a word is a text, whatever it begins with.
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

/** `--NAME VALUE` or `--NAME=VALUE`. Takes the value off the words that are left; null where there is none. */
function readAttribute(word: string, left: string[]): TagWord | null {
  const [, flag = "", attached] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  const value = attached ?? left.shift();
  if (value === undefined) return null;
  // The name of an attribute has no dash.
  const [, name = flag, from] = /^(.*)-(file|lines)$/.exec(flag) ?? [];
  return { name, value, from: from === "file" || from === "lines" ? from : "text" };
}
