import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import type { StateName } from "../core/protocol/transition.ts";
import { parseStateFile } from "../core/workflow/parse-state-file.ts";
import { extensionOf } from "../core/workflow/state-name.ts";
import type { Scope } from "../ports/scope.ts";
import {
  MissingStateError,
  reasonOf,
  UnreadableScopeError,
  UnreadableStateError,
} from "./errors.ts";
import { decodeState } from "./state-text.ts";

/**
 * The states in a folder. A name reaches the file system only if the folder's
 * listing has it, so `..`, separators and another case find nothing. Rejects
 * with an {@link UnreadableScopeError}, {@link MissingStateError} or
 * {@link UnreadableStateError}. The calls are made at once: there are six before
 * each step, and the way through the thread pool costs more than they do.
 */
export function folderScope(folder: string): Scope {
  const dir = path.resolve(folder);
  return {
    dir,
    names: () => promised(() => stateNames(dir)),
    path: (name) => path.join(dir, name),
    source: (name) => path.join(dir, name),
    load: (name) =>
      promised(() => parseStateFile(name, readState(dir, name), path.join(dir, name))),
  };
}

function readState(dir: string, name: StateName): string {
  const names = stateNames(dir);
  if (!names.includes(name)) throw new MissingStateError(name, dir, names);
  const file = path.join(dir, name);
  const real = realPathWithin(dir, file);
  const bytes = readable(file, () => readFileSync(real));
  return decodeState(bytes, file);
}

function stateNames(dir: string): readonly StateName[] {
  let entries: readonly Dirent[];
  try {
    entries = readdirSync(dir, { withFileTypes: true });
  } catch (error) {
    throw new UnreadableScopeError(dir, error);
  }
  return entries
    .filter((entry) => extensionOf(entry.name) !== null && isFile(dir, entry))
    .map((entry) => entry.name)
    .sort();
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
