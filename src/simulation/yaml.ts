import {
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from "yaml";
import { nearest } from "../core/nearest.ts";
import type { Position } from "../core/place.ts";
import { quoted } from "../core/workflow/quote.ts";

export type Path = readonly (string | number)[];

/** A YAML text together with the places of its parts, so that errors can point at them. */
export interface LocatedYaml {
  /** Plain data; undefined where nothing stands. */
  value(path: Path): unknown;
  /** The mapping at a path, which has to be one; where `known` is given, a key that is not among them is an error. */
  section(path: Path, known?: readonly string[]): Readonly<Record<string, unknown>>;
  /** The place of a part; of the nearest part around it where there is none. */
  placeOf(path: Path): Position;
  fault(path: Path, problem: string): Error;
}

/** Makes the error of one kind of file; `field` is a path such as `states.PLAN.md[0].cost`, empty for the whole file. */
export type BadFile = (file: string, at: Position, field: string, problem: string) => Error;

/** Reads a YAML text; throws what `bad` makes where it is not YAML, or holds a key twice. */
export function readYaml(file: string, text: string, bad: BadFile): LocatedYaml {
  const lines = new LineCounter();
  const document = composed(file, text.replace(/^\uFEFF/, ""), lines, bad);
  const place = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const error = [...document.errors, ...document.warnings][0];
  if (error !== undefined) {
    throw bad(file, place(error.pos[0]), "", `this is not YAML: ${error.message}.`);
  }
  const twice = repeatedKey(document);
  if (twice !== null) {
    const problem = `the key ${quoted(twice.key)} is there twice: it stands in line ${String(place(twice.first).line)} already.`;
    throw bad(file, place(twice.second), "", problem);
  }
  const data = plain(() => document.toJS() as unknown, file, bad);
  const value = (path: Path): unknown => path.reduce(descend, data);
  const placeOf = (path: Path): Position => place(offsetOf(document.contents, path));
  const fault = (path: Path, problem: string): Error =>
    bad(file, placeOf(path), spell(path), problem);

  return {
    value,
    placeOf,
    fault,
    section(path, known) {
      const found = value(path);
      if (found === null || typeof found !== "object" || Array.isArray(found)) {
        throw fault(path, "a mapping is expected here, one key: value a line.");
      }
      for (const key of known === undefined ? [] : Object.keys(found)) {
        if (known?.includes(key) === true) continue;
        const near = nearest(key, known ?? []);
        const suggestion = near === null ? "" : ` Did you mean "${near}"?`;
        throw fault([...path, key], `unknown key "${key}".${suggestion}`);
      }
      return found as Readonly<Record<string, unknown>>;
    },
  };
}

function composed(
  file: string,
  text: string,
  lineCounter: LineCounter,
  bad: BadFile,
): Document.Parsed {
  try {
    // Pretty errors and unique keys take the square of the text's length on some texts.
    return parseDocument(text, {
      lineCounter,
      logLevel: "error",
      prettyErrors: false,
      uniqueKeys: false,
    });
  } catch (error) {
    // Of all that it finds wrong the library throws only this one.
    if (!(error instanceof RangeError)) throw error;
    const start = { line: 1, column: 1 };
    throw bad(file, start, "", "this is nested too deeply.");
  }
}

/** A key that its mapping has already, and where both stand. */
interface Repeated {
  readonly key: string;
  readonly first: number;
  readonly second: number;
}

/** The first such key; null where there is none. */
function repeatedKey(document: Document): Repeated | null {
  let found: Repeated | null = null;
  visit(document, {
    Map(_, { items }) {
      const seen = new Map<unknown, number>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const first = seen.get(key.value);
        const here = key.range?.[0] ?? 0;
        if (first !== undefined) {
          found = { key: String(key.value), first, second: here };
          return visit.BREAK;
        }
        seen.set(key.value, here);
      }
      return undefined;
    },
  });
  return found;
}

/** Too many aliases are refused by the library while it expands them. */
function plain(expand: () => unknown, file: string, bad: BadFile): unknown {
  try {
    return expand();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const start = { line: 1, column: 1 };
    throw bad(file, start, "", `this cannot be expanded: ${reason}.`);
  }
}

function descend(data: unknown, part: string | number): unknown {
  if (data === null || typeof data !== "object" || !Object.hasOwn(data, part)) return undefined;
  return (data as Record<string | number, unknown>)[part];
}

/** Where a part begins: its key for an entry of a mapping, else the part itself. */
function offsetOf(root: Node | null, path: Path): number {
  let node: unknown = root;
  let offset = root?.range?.[0] ?? 0;
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === part);
      if (!isPair(pair)) break;
      offset = isNode(pair.key) ? (pair.key.range?.[0] ?? offset) : offset;
      node = pair.value;
    } else if (isNode(node) && "items" in node) {
      node = node.items[Number(part)];
      if (!isNode(node)) break;
      offset = node.range?.[0] ?? offset;
    } else break;
  }
  return offset;
}

/** `states.PLAN.md[0].cost` */
function spell(path: Path): string {
  return path
    .map((part) => (typeof part === "number" ? `[${String(part)}]` : `.${part}`))
    .join("")
    .replace(/^\./, "");
}
