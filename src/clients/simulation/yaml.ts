import type * as z from "zod/mini";
import { nearest } from "../../language/basics/nearest.ts";
import type { Position } from "../../language/basics/place.ts";
import { parseYaml, type Tree, type YamlKind } from "../../language/workflow/yaml-tree.ts";

export type Path = readonly (string | number)[];

/** A YAML text with the positions of its parts, for errors. */
export interface LocatedYaml {
  /** Plain data; undefined if the path does not exist. */
  value(path: Path): unknown;
  /** The mapping at a path. Throws for other values, and for keys that are not in `known`. */
  section(path: Path, known?: readonly string[]): Readonly<Record<string, unknown>>;
  /** The position of a part, or of the nearest existing part around it. */
  placeOf(path: Path): Position;
  fault(path: Path, problem: string): Error;
}

/** Creates an error of a file. `field`: a path such as `states.PLAN.md[0].cost`; empty: the whole file. */
export type BadFile = (file: string, at: Position, field: string, problem: string) => Error;

/** Simulations and tests may be recorded from long runs. */
const RECORDED: YamlKind = {
  name: "this file",
  hint: "Correct the YAML in this line; indent by blanks, never by tabs.",
  mostNodes: 500_000,
};

const START: Position = { line: 1, column: 1 };

/** Parses a YAML text. Throws an error of `bad` if it is invalid. */
export function readYaml(file: string, text: string, bad: BadFile): LocatedYaml {
  const complain = (at: Position, problem: string, hint: string): Error =>
    bad(file, at, "", `${problem} ${hint}`);
  const tree = parseYaml(text.replace(/^\uFEFF/, ""), complain, RECORDED);
  const data = tree === null ? null : dataOf(tree);
  const value = (path: Path): unknown => path.reduce(descend, data);
  const placeOf = (path: Path): Position => placeIn(tree, path);
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

function dataOf(tree: Tree): unknown {
  switch (tree.kind) {
    case "scalar":
      return tree.value;
    case "list":
      return tree.items.map(dataOf);
    case "map":
      return Object.fromEntries(tree.entries.map(({ key, value }) => [key, dataOf(value)]));
  }
}

function descend(data: unknown, part: string | number): unknown {
  if (data === null || typeof data !== "object" || !Object.hasOwn(data, part)) return undefined;
  return (data as Record<string | number, unknown>)[part];
}

/** The start of a part: the key of an entry of a mapping, or the part itself. */
function placeIn(tree: Tree | null, path: Path): Position {
  let place = tree?.at ?? START;
  let inner: Tree | undefined = tree ?? undefined;
  for (const part of path) {
    if (inner?.kind === "map") {
      const entry = inner.entries.find(({ key }) => key === part);
      if (entry === undefined) break;
      place = entry.at;
      inner = entry.value;
    } else if (inner?.kind === "list") {
      inner = inner.items[Number(part)];
      if (inner === undefined) break;
      place = inner.at;
    } else break;
  }
  return place;
}

/** `states.PLAN.md[0].cost` */
function spell(path: Path): string {
  return path
    .map((part) => (typeof part === "number" ? `[${String(part)}]` : `.${part}`))
    .join("")
    .replace(/^\./, "");
}

/** The value at a path, parsed by a schema. Throws the first problem. */
export function readAs<Schema extends z.ZodMiniType>(
  yaml: LocatedYaml,
  path: Path,
  schema: Schema,
  value: unknown = yaml.value(path),
): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const at = (issue?.path ?? []).map((part) => (typeof part === "number" ? part : String(part)));
  throw yaml.fault([...path, ...at], `${issue?.message ?? "this is not valid"}.`);
}
