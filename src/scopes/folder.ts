import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import type { StateName } from "../core/protocol/transition.ts";
import { differsInCase, type NearState } from "../core/workflow/near-state.ts";
import { parseStateFile } from "../core/workflow/parse-state-file.ts";
import type { StateFile } from "../core/workflow/state-file.ts";
import { extensionOf } from "../core/workflow/state-name.ts";
import { LIMITS, readFileAtOnce } from "../files/read-file.ts";
import type { Scope } from "../ports/scope.ts";
import {
  MissingStateError,
  reasonOf,
  UnreadableScopeError,
  UnreadableStateError,
} from "./errors.ts";
import { type Kept, stampOf } from "./stamp.ts";
import { decodeState } from "./state-text.ts";

/**
 * The states in a folder. A name reaches the file system only if the folder's
 * listing has it, so `..`, separators and another case find nothing. Rejects
 * with an {@link UnreadableScopeError}, {@link MissingStateError} or
 * {@link UnreadableStateError}. A step asks for the listing and its state; both are read
 * anew when the folder or the file has changed (`stamp.ts`). The calls are made at once: the
 * way through the thread pool costs more than they do.
 */
export function folderScope(folder: string, now: () => number = Date.now): Scope {
  const dir = path.resolve(folder);
  const loaded = new Map<StateName, Kept<StateFile>>();
  let listed: Kept<Listing> | null = null;

  const list = (): Listing => {
    const stamp = reading(dir, () => stampOf(dir, now()));
    if (listed !== null && stamp !== null && listed.stamp === stamp) return listed.value;
    const value = listStates(dir);
    // Where a link leads may change without a trace in the folder.
    listed = { stamp: value.links ? null : stamp, value };
    return value;
  };
  const load = (name: StateName): StateFile => {
    const { names, plain } = list();
    if (!names.includes(name)) throw new MissingStateError(name, dir, names);
    const file = path.join(dir, name);
    const stamp = plain.has(name) ? readable(file, () => stampOf(file, now())) : null;
    const known = loaded.get(name);
    if (known !== undefined && stamp !== null && known.stamp === stamp) return known.value;
    const value = parseStateFile(name, readState(dir, file), file);
    loaded.set(name, { stamp, value });
    return value;
  };
  return {
    dir,
    names: () => promised(() => list().names),
    path: (name) => path.join(dir, name),
    source: (name) => path.join(dir, name),
    load: (name) => promised(() => load(name)),
  };
}

/** The text of a file in a workflow's folder; null where it cannot be read, leads out of it, or is no UTF-8. */
export function readTextWithin(dir: string, file: string): string | null {
  try {
    const bytes = readFileAtOnce(realPathWithin(dir, file), LIMITS.source);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The files of a folder that look like states and are none. */
export function nearStatesIn(dir: string): readonly NearState[] {
  const entries = reading(dir, () => readdirSync(dir, { withFileTypes: true }));
  return entries
    .flatMap((entry): readonly NearState[] => {
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
  /** Those that are no links. */
  readonly plain: ReadonlySet<StateName>;
  /** Whether there are links that may be states, or become some. */
  readonly links: boolean;
}

function readState(dir: string, file: string): string {
  const real = realPathWithin(dir, file);
  const bytes = readable(file, () => readFileAtOnce(real, LIMITS.source));
  return decodeState(bytes, file);
}

function listStates(dir: string): Listing {
  const entries = reading(dir, () => readdirSync(dir, { withFileTypes: true }));
  const links = entries.some((entry) => entry.isSymbolicLink() && extensionOf(entry.name) !== null);
  const states = entries.filter((entry) => extensionOf(entry.name) !== null && isFile(dir, entry));
  const plain = states.filter((entry) => !entry.isSymbolicLink()).map((entry) => entry.name);
  return { names: states.map((entry) => entry.name).sort(), plain: new Set(plain), links };
}

function reading<T>(dir: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new UnreadableScopeError(dir, error);
  }
}

/** A link is listed when it leads to a file, wherever that is: reading it says where. */
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
  const way = path.relative(realDir, real);
  if (way === ".." || way.startsWith(`..${path.sep}`) || path.isAbsolute(way)) {
    throw new UnreadableStateError(
      file,
      `is a link that leads out of the workflow's folder, to ${real}`,
      "Copy the file into the folder.",
    );
  }
  return real;
}

function readable<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const hint = "See to it that the file is there and that you may read it.";
    throw new UnreadableStateError(file, `was refused (${reasonOf(error)})`, hint, error);
  }
}

/** What is thrown rejects. */
function promised<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}
