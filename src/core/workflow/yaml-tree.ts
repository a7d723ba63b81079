import { type Alias, isAlias, isScalar, isSeq, LineCounter, type ParsedNode } from "yaml";
import type { Position } from "../place.ts";
import { composeYaml } from "./compose-yaml.ts";
import { quoted } from "./quote.ts";

/** YAML as plain data with positions, aliases followed: all that a file of raymond's may hold. */
export type Tree = Scalar | List | Mapping;

export interface Scalar {
  readonly kind: "scalar";
  /** As written (`2024-01-01`, `1_000`, `null`), quotes and escapes undone. */
  readonly text: string;
  /** False where YAML reads a number, a truth value or null. */
  readonly isText: boolean;
  /** What YAML reads: a text, a number, a truth value or null. */
  readonly value: unknown;
  readonly at: Position;
  /** Where its text begins: of a block (`|`) the first line below. */
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

/** Makes the error to be thrown from a place, what is wrong there, and what to do. */
export type Complain = (at: Position, problem: string, hint: string) => Error;

/** What is read: its name in messages, what to do about its syntax, and how large it may be. */
export interface YamlKind {
  readonly name: string;
  readonly mend: string;
  readonly mostNodes: number;
}

/** Front matter is small: its bounds are met by aliases that multiply, and by nothing honest. */
export const FRONT_MATTER: YamlKind = {
  name: "front matter",
  mend: "Correct the YAML between the two --- lines.",
  mostNodes: 10_000,
};

const MOST_ALIASES = 100;
const DEEPEST = 20;

/** The tags of plain YAML; `!custom` could mean anything, so it means nothing here. */
const PLAIN_TAG = /^(?:!|tag:yaml\.org,2002:(?:str|int|float|bool|null|seq|map))$/;

/**
 * Reads one YAML document; `null` for one that is empty. Throws what `complain`
 * makes for bad YAML, duplicate keys, custom tags, keys that are no scalars, and
 * documents that their aliases blow up. Line 1 of the text is line 1 of a position.
 */
export function parseYaml(
  text: string,
  complain: Complain,
  kind: YamlKind = FRONT_MATTER,
): Tree | null {
  const lineCounter = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lineCounter.linePos(offset);
    return { line, column: col };
  };

  const document = composeYaml(text, lineCounter);
  if (document === null) {
    throw complain(at(0), `This is nested too deeply for ${kind.name}.`, kind.mend);
  }
  const problems = [...document.errors, ...document.warnings];
  const [first] = problems.sort((a, b) => a.pos[0] - b.pos[0]);
  if (first !== undefined) {
    const words =
      first.code === "MULTIPLE_DOCS"
        ? "a second document begins here"
        : first.message.replace(/\.$/, "");
    throw complain(at(first.pos[0]), `This is not valid YAML: ${words}.`, kind.mend);
  }

  const lines = text.split("\n");
  /** Where the text of a block begins, whose `|` is here. */
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
      throw complain(here, `There is too much here for ${kind.name}.`, "Write it without aliases.");
    }
    if (node === null) {
      return { kind: "scalar", text: "", isText: false, value: null, at: here, textAt: here };
    }
    if (isAlias(node)) return follow(node, here, depth);
    if (node.tag !== undefined && !PLAIN_TAG.test(node.tag)) {
      throw complain(here, `The YAML tag ${node.tag} is not known here.`, "Leave the tag out.");
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
        throw complain(name.at, "A key must be a plain word.", kind.mend);
      }
      // Equal as text: `yaml` itself would take `1` and `"1"` for two keys, and not name the first one.
      const first = seen.get(name.text);
      if (first !== undefined) {
        const problem = `The key ${quoted(name.text)} is there twice: it stands in line ${String(first.line)} already.`;
        throw complain(name.at, problem, "Keep one of the two lines.");
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
      throw complain(here, "There are too many YAML aliases here.", "Write it without aliases.");
    }
    // What is wrong with what an alias stands for is shown where it is used.
    return { ...read(target as ParsedNode, here, depth + 1), at: here };
  };

  return document.contents === null ? null : read(document.contents, at(0), 0);
}
