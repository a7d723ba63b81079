import { type Alias, isAlias, isScalar, isSeq, LineCounter, type ParsedNode } from "yaml";
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

/** Creates the error for a position. */
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

  const lines = text.split("\n");
  /** The start of the text of a block, given the position of its `|`. */
  const below = ({ line }: Position): Position => {
    const filled = lines.slice(line).find((one) => one.trim() !== "") ?? "";
    return { line: line + 1, column: filled.length - filled.trimStart().length + 1 };
  };

  let nodes = 0;
  let aliases = 0;

  const read = (node: ParsedNode | null, from: Position, depth: number): Tree => {
    const here = node === null ? from : at(node.range[0]);
    nodes += 1;
    if (nodes > kind.mostNodes || depth > DEEPEST) {
      throw errorAt(here, `Too large for ${kind.name}.`, "Do not use aliases.");
    }
    if (node === null) {
      return { kind: "scalar", text: "", isText: false, value: null, at: here, textAt: here };
    }
    if (isAlias(node)) return follow(node, here, depth);
    if (node.tag !== undefined && !PLAIN_TAG.test(node.tag)) {
      throw errorAt(here, `Unknown YAML tag ${node.tag}.`, "Remove the tag.");
    }
    if (isScalar(node)) {
      const { value } = node;
      const isText = typeof value === "string";
      const textAt = node.type?.startsWith("BLOCK_") === true ? below(here) : here;
      return {
        kind: "scalar",
        text: isText ? value : node.source,
        isText,
        value,
        at: here,
        textAt,
      };
    }
    if (isSeq(node)) {
      return {
        kind: "list",
        items: node.items.map((item) => read(item, here, depth + 1)),
        at: here,
      };
    }
    const seen = new Map<string, Position>();
    const entries = node.items.map(({ key, value }): Entry => {
      const name = read(key, here, depth + 1);
      if (name.kind !== "scalar") {
        throw errorAt(name.at, "A key must be a scalar.", kind.hint);
      }
      // Compared as text: for the library `1` and `"1"` are different keys.
      const first = seen.get(name.text);
      if (first !== undefined) {
        const problem = `Duplicate key ${quoted(name.text)}: first defined in line ${String(first.line)}.`;
        throw errorAt(name.at, problem, "Keep one of the two lines.");
      }
      seen.set(name.text, name.at);
      return { key: name.text, at: name.at, value: read(value, name.at, depth + 1) };
    });
    return { kind: "map", entries, at: here };
  };

  const follow = (alias: Alias, here: Position, depth: number): Tree => {
    aliases += 1;
    const target = aliases > MOST_ALIASES ? undefined : alias.resolve(document);
    if (target === undefined) {
      throw errorAt(here, "Too many YAML aliases.", "Do not use aliases.");
    }
    // Errors in an aliased node are reported at the alias.
    return { ...read(target as ParsedNode, here, depth + 1), at: here };
  };

  return document.contents === null ? null : read(document.contents, at(0), 0);
}
