import type { Dirent } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { StateName } from "../core/protocol/transition.ts";
import { extensionOf } from "../core/workflow/state-name.ts";
import {
  MissingStateError,
  reasonOf,
  UnreadableScopeError,
  UnreadableStateError,
} from "./errors.ts";
import type { Scope } from "./scope.ts";
import { decodeState } from "./state-text.ts";

/**
 * The states in a folder. A name reaches the file system only if the folder's
 * listing has it, so `..`, separators and another case find nothing. Rejects
 * with an {@link UnreadableScopeError}, {@link MissingStateError} or
 * {@link UnreadableStateError}.
 */
export function folderScope(folder: string): Scope {
  const dir = path.resolve(folder);
  return {
    dir,
    names: () => stateNames(dir),
    path: (name) => path.join(dir, name),
    read: async (name) => {
      const names = await stateNames(dir);
      if (!names.includes(name)) throw new MissingStateError(name, dir, names);
      const file = path.join(dir, name);
      const real = await realPathWithin(dir, file);
      return decodeState(await readable(file, () => readFile(real)), file);
    },
  };
}

async function stateNames(dir: string): Promise<readonly StateName[]> {
  let entries: readonly Dirent[];
  try {
    entries = await readdir(dir, { withFileTypes: true });
  } catch (error) {
    throw new UnreadableScopeError(dir, error);
  }
  const states = entries.filter((entry) => extensionOf(entry.name) !== null);
  const names = await Promise.all(
    states.map(async (entry) => ((await isFile(dir, entry)) ? entry.name : null)),
  );
  return names.filter((name) => name !== null).sort();
}

/** A link is listed when it leads to a file, wherever that is: reading it says where. */
async function isFile(dir: string, entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isFile();
  const target = await stat(path.join(dir, entry.name)).catch(() => null);
  return target?.isFile() === true;
}

async function realPathWithin(dir: string, file: string): Promise<string> {
  const [realDir, real] = await readable(file, () => Promise.all([realpath(dir), realpath(file)]));
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

async function readable<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const hint = "See to it that the file is there and that you may read it.";
    throw new UnreadableStateError(file, `was refused (${reasonOf(error)})`, hint, error);
  }
}
