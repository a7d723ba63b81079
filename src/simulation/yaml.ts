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
import type { Position } from "../core/place.ts";
import { quoted } from "../core/workflow/quote.ts";
import { BadSimulationError } from "./errors.ts";

type Path = readonly (string | number)[];

/** A YAML text together with the places of its parts, so that errors can point at them. */
export interface LocatedYaml {
  /** Plain data; undefined where nothing stands. */
  value(path: Path): unknown;
  /** The line of a part, 1 being the first; of the nearest part around it where there is none. */
  lineOf(path: Path): number;
  fault(path: Path, problem: string): BadSimulationError;
}

/** Reads a YAML text; throws BadSimulationError where it is not YAML, or holds a key twice. */
export function readYaml(file: string, text: string): LocatedYaml {
  const lines = new LineCounter();
  const document = composed(file, text.replace(/^\uFEFF/, ""), lines);
  const place = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const error = [...document.errors, ...document.warnings][0];
  if (error !== undefined) {
    throw new BadSimulationError(
      file,
      place(error.pos[0]),
      "",
      `this is not YAML: ${error.message}.`,
    );
  }
  const twice = repeatedKey(document);
  if (twice !== null) {
    const problem = `the key ${quoted(twice.key)} is there twice: it stands in line ${String(place(twice.first).line)} already.`;
    throw new BadSimulationError(file, place(twice.second), "", problem);
  }
  const data = plain(file, () => document.toJS() as unknown);
  const placeOf = (path: Path): Position => place(offsetOf(document.contents, path));

  return {
    value: (path) => path.reduce(descend, data),
    lineOf: (path) => placeOf(path).line,
    fault: (path, problem) => new BadSimulationError(file, placeOf(path), spell(path), problem),
  };
}

function composed(file: string, text: string, lineCounter: LineCounter): Document.Parsed {
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
    throw new BadSimulationError(file, start, "", "this is nested too deeply.");
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
function plain(file: string, expand: () => unknown): unknown {
  try {
    return expand();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const start = { line: 1, column: 1 };
    throw new BadSimulationError(file, start, "", `this cannot be expanded: ${reason}.`);
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
