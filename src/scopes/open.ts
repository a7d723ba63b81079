import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { nearest } from "../core/nearest.ts";
import type { StateName } from "../core/protocol/transition.ts";
import { findEntry, resolveEntry } from "../core/workflow/entry.ts";
import type { Platform } from "../core/workflow/platform.ts";
import { NoWorkflowError, WorkflowNotFoundError } from "./errors.ts";
import { folderScope } from "./folder.ts";

/** A workflow that was found: what is in it, where it starts, and how a run gets its scope. */
export interface Located {
  readonly kind: "folder" | "zip";
  /** What the user named: absolute. */
  readonly path: string;
  readonly names: readonly StateName[];
  readonly entry: StateName;
  /** The text of a state, before a run exists. */
  read(name: StateName): Promise<string>;
  /** The folder that the states of a run are read from: an archive is copied and unpacked into the run's own. */
  place(runDir: string): Promise<string>;
}

/**
 * Finds what the user has named (spec 1.3): a file (its extension may be left
 * out), a folder, or a zip. Rejects with a RaymondError for everything that is
 * wrong with it and can be seen before it runs.
 */
export async function locateWorkflow(named: string, platform: Platform): Promise<Located> {
  const found = await stat(named).catch(() => null);
  if (found?.isDirectory() === true) return locateFolder(named, platform);
  if (found?.isFile() === true && named.toLowerCase().endsWith(".zip")) {
    return locateArchive(named, platform);
  }
  if (found === null && !(await hasStates(path.dirname(named)))) {
    throw new WorkflowNotFoundError(named, await nearestEntry(named));
  }
  return locateFile(named, platform, found !== null);
}

async function locateFolder(dir: string, platform: Platform): Promise<Located> {
  const scope = folderScope(dir);
  const names = await scope.names();
  if (names.length === 0) throw new NoWorkflowError(dir, "it has no states");
  const entry = findEntry(names, platform);
  return {
    kind: "folder",
    path: dir,
    names,
    entry,
    read: (name) => scope.read(name),
    place: () => Promise.resolve(dir),
  };
}

async function locateFile(file: string, platform: Platform, exists: boolean): Promise<Located> {
  const dir = path.dirname(file);
  const wanted = path.basename(file);
  const scope = folderScope(dir);
  const names = await scope.names();
  if (exists && !names.includes(wanted)) {
    throw new NoWorkflowError(file, "its name does not end in .md, .sh, .bat or .zip");
  }
  const fits = names.some((name) => name === wanted || name.startsWith(`${wanted}.`));
  if (!exists && !fits) throw new WorkflowNotFoundError(file, await nearestEntry(file));
  const entry = resolveEntry(names, wanted, platform);
  return {
    kind: "folder",
    path: path.join(dir, entry),
    names,
    entry,
    read: (name) => scope.read(name),
    place: () => Promise.resolve(dir),
  };
}

async function locateArchive(file: string, platform: Platform): Promise<Located> {
  const { readArchive, unpackArchive } = await import("./archive.ts");
  const archive = await readArchive(file);
  return {
    kind: "zip",
    path: file,
    names: archive.names,
    entry: findEntry(archive.names, platform),
    read: (name) => Promise.resolve(archive.text(name)),
    place: (runDir) => unpackArchive(archive, runDir),
  };
}

async function hasStates(dir: string): Promise<boolean> {
  return (await folderScope(dir).names().catch(() => [])).length > 0;
}

async function nearestEntry(named: string): Promise<string | null> {
  const dir = path.dirname(named);
  const near = nearest(path.basename(named), await readdir(dir).catch(() => []));
  return near === null ? null : path.join(dir, near);
}
