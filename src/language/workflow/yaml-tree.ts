import {
  type Alias,
  type Document,
  isAlias,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  type YAMLMap,
} from "yaml";
import type { Position } from "../basics/place.ts";
import { composeYaml } from "./compose-yaml.ts";
import { quoted } from "./quote.ts";

/** YAML as plain data with positions; aliases are resolved. */
export type Tree = Scalar | List | Mapping;

export interface Scalar {
  readonly kind: "scalar";
  /** As written (`2024-01-01`, `1_000`, `null`), without quotes and escapes. */
  readonly text: string;
  /** False if YAML reads a number, boolean or null. */
  readonly isText: boolean;
  readonly value: unknown;
  readonly at: Position;
  /** Start of its text: for a block (`|`) the line below. */
  readonly textAt: Position;
}

export interface List {
  readonly kind: "list";
  readonly items: readonly Tree[];
  readonly at: Position;
}

export interface Mapping {
  readonly kind: "map";
  readonly entries: readonly Entry[];
  readonly at: Position;
}

export interface Entry {
  readonly key: string;
  readonly at: Position;
  readonly value: Tree;
}

/** The value that YAML reads: strings, numbers, booleans, null, arrays and objects. */
export function plainValue(tree: Tree): unknown {
  switch (tree.kind) {
    case "scalar":
      return tree.value;
    case "list":
      return tree.items.map(plainValue);
    case "map":
      return Object.fromEntries(tree.entries.map(({ key, value }) => [key, plainValue(value)]));
  }
}

export type ErrorAt = (at: Position, problem: string, hint: string) => Error;

/** A kind of YAML file: its name in messages, the hint for syntax errors, and its size limit. */
export interface YamlKind {
  readonly name: string;
  readonly hint: string;
  readonly mostNodes: number;
}

/** The limit is reached only by aliases that multiply. */
export const FRONT_MATTER: YamlKind = {
  name: "front matter",
  hint: "Correct the YAML between the two --- lines.",
  mostNodes: 10_000,
};

const MOST_ALIASES = 100;
const DEEPEST = 20;

/** Standard YAML tags. Custom tags are refused. */
const PLAIN_TAG = /^(?:!|tag:yaml\.org,2002:(?:str|int|float|bool|null|seq|map))$/;

/**
 * Parses one YAML document; null if it is empty. Throws `errorAt` for invalid YAML, duplicate keys,
 * custom tags, complex keys, and documents that are too large with their aliases.
 */
export function parseYaml(
  text: string,
  errorAt: ErrorAt,
  kind: YamlKind = FRONT_MATTER,
): Tree | null {
  const lineCounter = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lineCounter.linePos(offset);
    return { line, column: col };
  };
  const document = composeYaml(text, lineCounter);
  if (document === null) {
    throw errorAt(at(0), `Nested too deeply for ${kind.name}.`, kind.hint);
  }
  const problems = [...document.errors, ...document.warnings];
  const [first] = problems.sort((a, b) => a.pos[0] - b.pos[0]);
  if (first !== undefined) {
    const words =
      first.code === "MULTIPLE_DOCS"
        ? "a second document starts here"
        : first.message.replace(/\.$/, "");
    throw errorAt(at(first.pos[0]), `Invalid YAML: ${words}.`, kind.hint);
  }
  if (document.contents === null) return null;
  const reader = new TreeReader(document, text.split("\n"), at, errorAt, kind);
  return reader.read(document.contents, at(0), 0);
}

class TreeReader {
  #nodes = 0;
  #aliases = 0;
  readonly #document: Document.Parsed;
  readonly #lines: readonly string[];
  readonly #at: (offset: number) => Position;
  readonly #errorAt: ErrorAt;
  readonly #kind: YamlKind;

  constructor(
    document: Document.Parsed,
    lines: readonly string[],
    at: (offset: number) => Position,
    errorAt: ErrorAt,
    kind: YamlKind,
  ) {
    this.#document = document;
    this.#lines = lines;
    this.#at = at;
    this.#errorAt = errorAt;
    this.#kind = kind;
  }

  /** `from`: the position of a missing value. */
  read(node: ParsedNode | null, from: Position, depth: number): Tree {
    const at = node === null ? from : this.#at(node.range[0]);
    this.#nodes += 1;
    if (this.#nodes > this.#kind.mostNodes || depth > DEEPEST) {
      throw this.#errorAt(at, `Too large for ${this.#kind.name}.`, "Do not use aliases.");
    }
    if (node === null) {
      return { kind: "scalar", text: "", isText: false, value: null, at, textAt: at };
    }
    if (isAlias(node)) return this.#follow(node, at, depth);
    if (node.tag !== undefined && !PLAIN_TAG.test(node.tag)) {
      throw this.#errorAt(at, `Unknown YAML tag ${node.tag}.`, "Remove the tag.");
    }
    if (isScalar(node)) {
      const { value } = node;
      const isText = typeof value === "string";
      const textAt = node.type?.startsWith("BLOCK_") === true ? this.#below(at) : at;
      return { kind: "scalar", text: isText ? value : node.source, isText, value, at, textAt };
    }
    if (isSeq(node)) {
      return { kind: "list", items: node.items.map((item) => this.read(item, at, depth + 1)), at };
    }
    return { kind: "map", entries: this.#entries(node, at, depth + 1), at };
  }

  #entries({ items }: YAMLMap.Parsed, at: Position, depth: number): readonly Entry[] {
    const seen = new Map<string, Position>();
    return items.map(({ key, value }) => {
      const name = this.read(key, at, depth);
      if (name.kind !== "scalar") {
        throw this.#errorAt(name.at, "A key must be a scalar.", this.#kind.hint);
      }
      // Compared as text: for the library `1` and `"1"` are different keys.
      const first = seen.get(name.text);
      if (first !== undefined) {
        const problem = `Duplicate key ${quoted(name.text)}: first defined in line ${String(first.line)}.`;
        throw this.#errorAt(name.at, problem, "Keep one of the two lines.");
      }
      seen.set(name.text, name.at);
      return { key: name.text, at: name.at, value: this.read(value, name.at, depth) };
    });
  }

  #follow(alias: Alias, at: Position, depth: number): Tree {
    this.#aliases += 1;
    const target = this.#aliases > MOST_ALIASES ? undefined : alias.resolve(this.#document);
    if (target === undefined) {
      throw this.#errorAt(at, "Too many YAML aliases.", "Do not use aliases.");
    }
    // Errors in an aliased node are reported at the alias.
    return { ...this.read(target as ParsedNode, at, depth + 1), at };
  }

  /** The start of the text of a block, given the position of its `|`. */
  #below({ line }: Position): Position {
    const filled = this.#lines.slice(line).find((one) => one.trim() !== "") ?? "";
    return { line: line + 1, column: filled.length - filled.trimStart().length + 1 };
  }
}
