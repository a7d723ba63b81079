import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import type { Scope } from "../engine/ports/scope.ts";
import { isBelow } from "../files/paths.ts";
import { LIMITS, readRegularFileSync } from "../files/read-file.ts";
import type { StateName } from "../language/protocol/transition.ts";
import { parseStateFile } from "../language/workflow/files/parse-state-file.ts";
import type { StateFile } from "../language/workflow/files/state-file.ts";
import { extensionOf } from "../language/workflow/files/state-name.ts";
import type { JsonSchema } from "../language/workflow/named-schemas.ts";
import { isSchemaName } from "../language/workflow/policy/schema-name.ts";
import { differsInCase, type StateLookalike } from "../language/workflow/state-lookalike.ts";
import { CHECK_FILE, reasonOf, scopeErrors } from "./errors.ts";
import { SchemaCache } from "./schemas/schema-cache.ts";
import { stampOf } from "./stamp.ts";
import { decodeState, decodeUtf8 } from "./state-text.ts";

/**
 * The states in a folder. Only listed names are opened, so that `..`, separators and a different
 * case find nothing. Rejects with `workflow/unreadable-folder`, `workflow/missing-state` or
 * `workflow/unreadable-state`. Each step reads the listing and its state; both are cached while
 * folder and file are unchanged. Reads synchronously, because the thread pool costs
 * more than the calls.
 */
export function folderScope(folder: string, now: () => number = Date.now): Scope {
  const dir = path.resolve(folder);
  const loaded = new Map<StateName, Cached<StateFile>>();
  const compiled = new SchemaCache();
  let listed: Cached<Listing> | null = null;

  const list = (): Listing => {
    const stamp = reading(dir, () => stampOf(dir, now()));
    if (listed !== null && stamp !== null && listed.stamp === stamp) return listed.value;
    const value = listStates(dir);
    // The target of a link may change without changing the folder.
    listed = { stamp: value.links ? null : stamp, value };
    return value;
  };
  const load = (name: StateName): StateFile => {
    const { names, plain } = list();
    if (!names.includes(name)) throw scopeErrors["workflow/missing-state"](name, dir, names);
    const file = path.join(dir, name);
    const stamp = plain.has(name) ? readable(file, () => stampOf(file, now())) : null;
    const known = loaded.get(name);
    if (known !== undefined && stamp !== null && known.stamp === stamp) return known.value;
    const value = parseStateFile(name, readState(dir, file), file);
    loaded.set(name, { stamp, value });
    return value;
  };
  const schema = (name: string): Promise<JsonSchema> => {
    const { schemas } = list();
    if (!schemas.includes(name)) throw scopeErrors["workflow/missing-schema"](name, dir, schemas);
    const file = path.join(dir, name);
    const text = decodeUtf8(readBytes(dir, file, LIMITS.small), file);
    return compiled.get(name, text, file);
  };
  return {
    dir,
    names: () => promised(() => list().names),
    path: (name) => path.join(dir, name),
    source: (name) => path.join(dir, name),
    load: (name) => promised(() => load(name)),
    schemas: () => promised(() => list().schemas),
    schema: async (name) => schema(name),
  };
}

/**
 * The text of a file in a workflow's folder; null if it is unreadable, outside the folder or not
 * UTF-8.
 */
export function readTextWithin(dir: string, file: string): string | null {
  try {
    const bytes = readRegularFileSync(realPathWithin(dir, file), LIMITS.source);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The files of a folder that look like states but are not. */
export function nearStatesIn(dir: string): readonly StateLookalike[] {
  const entries = reading(dir, () => readdirSync(dir, { withFileTypes: true }));
  return entries
    .flatMap((entry): readonly StateLookalike[] => {
      const { name } = entry;
      if (differsInCase(name) && entry.isFile()) return [{ name, why: "case" }];
      if (extensionOf(name) === null || !entry.isSymbolicLink()) return [];
      const isBroken = statSync(path.join(dir, name), { throwIfNoEntry: false }) === undefined;
      return isBroken ? [{ name, why: "broken-link" }] : [];
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

interface Listing {
  readonly names: readonly StateName[];
  readonly schemas: readonly string[];
  /** States and schemas that are not links. */
  readonly plain: ReadonlySet<string>;
  /** Whether a state or schema is a link. */
  readonly links: boolean;
}

function readState(dir: string, file: string): string {
  return decodeState(readBytes(dir, file, LIMITS.source), file);
}

/** `most`: the limit of the size, in bytes. */
function readBytes(dir: string, file: string, most: number): Buffer {
  const real = realPathWithin(dir, file);
  return readable(file, () => readRegularFileSync(real, most));
}

function listStates(dir: string): Listing {
  const entries = reading(dir, () => readdirSync(dir, { withFileTypes: true }));
  const isState = ({ name }: Dirent) => extensionOf(name) !== null;
  const isUsed = (entry: Dirent) => isState(entry) || isSchemaName(entry.name);
  const used = entries.filter((entry) => isUsed(entry) && isFile(dir, entry));
  const plain = used.filter((entry) => !entry.isSymbolicLink()).map((entry) => entry.name);
  const namesOf = (all: readonly Dirent[]) => all.map(({ name }) => name).sort();
  return {
    names: namesOf(used.filter(isState)),
    schemas: namesOf(used.filter((entry) => !isState(entry))),
    plain: new Set(plain),
    links: entries.some((entry) => entry.isSymbolicLink() && isUsed(entry)),
  };
}

function reading<T>(dir: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw scopeErrors["workflow/unreadable-folder"](dir, error);
  }
}

/** A link is listed if its target is a file. Reading it reports a target outside the folder. */
function isFile(dir: string, entry: Dirent): boolean {
  if (!entry.isSymbolicLink()) return entry.isFile();
  try {
    return statSync(path.join(dir, entry.name)).isFile();
  } catch {
    return false;
  }
}

function realPathWithin(dir: string, file: string): string {
  const [realDir, real] = readable(
    file,
    () => [realpathSync.native(dir), realpathSync.native(file)] as const,
  );
  if (!isBelow(realDir, real)) {
    throw scopeErrors["workflow/unreadable-state"](
      file,
      `is a link out of the workflow's folder, to ${real}`,
      "Copy the file into the folder.",
    );
  }
  return real;
}

function readable<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const problem = `cannot be opened (${reasonOf(error)})`;
    throw scopeErrors["workflow/unreadable-state"](file, problem, CHECK_FILE, error);
  }
}

/** Converts exceptions to rejections. */
function promised<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}

/** A cached value. `stamp` is that of its source; null: never reuse. */
interface Cached<T> {
  readonly stamp: string | null;
  readonly value: T;
}
