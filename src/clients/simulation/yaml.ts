import type * as z from "zod/mini";
import { nearest } from "../../language/basics/nearest.ts";
import type { Position } from "../../language/basics/place.ts";
import { parseYaml, type Tree, type YamlKind } from "../../language/workflow/yaml-tree.ts";

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

/** Simulations and tests may be recorded from long runs. */
const RECORDED: YamlKind = {
  name: "this file",
  hint: "Correct the YAML in this line; indent by blanks, never by tabs.",
  mostNodes: 500_000,
};

const START: Position = { line: 1, column: 1 };

/** Reads a YAML text; throws what `bad` makes for what `parseYaml` refuses. */
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

/** Where a part begins: its key for an entry of a mapping, else the part itself. */
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

/** What stands at a path, as a schema reads it; throws the fault of the first thing in it that the schema refuses. */
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
