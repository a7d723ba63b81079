import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import type { RunSummary } from "../ports/store.ts";
import type { Caller } from "../runs/caller.ts";
import { summaryJson } from "../runs/json/summary-json.ts";
import { list } from "../runs/list.ts";
import { type Place, stateRoot } from "../runs/wire/stores.ts";
import type { FolderJson } from "./api.ts";
import { FolderGoneError, NoRunsThereError } from "./errors.ts";
import { problemOf } from "./problem.ts";

/** A state folder that is shown. */
export interface ServedFolder {
  /** What it is called in addresses. */
  readonly key: string;
  /** The state folder. */
  readonly root: string;
  readonly project: string;
  /** Who is in the project's folder. */
  readonly caller: Caller;
  /** The folder was there, and so it must be. */
  readonly stood: boolean;
}

/** The state folders that are meant: of the project, or each as it is named. Rejects with a RaymondError. */
export async function findFolders(
  named: readonly string[],
  place: Place,
  caller: Caller,
): Promise<readonly ServedFolder[]> {
  const roots =
    named.length === 0
      ? [await stateRoot(place, caller)]
      : await Promise.all(named.map((folder) => rootIn(path.resolve(caller.cwd, folder), caller)));
  const served = new Map(roots.map((root) => [real(root), root]));
  return [...served].map(([at, root]) => {
    const project = path.basename(root) === ".raymond" ? path.dirname(root) : root;
    return {
      key: createHash("sha256").update(at).digest("hex").slice(0, 12),
      ...{ root, project, stood: existsSync(root) },
      caller: { ...caller, cwd: real(project) },
    };
  });
}

/** The folder of a project, or a state folder. */
async function rootIn(folder: string, caller: Caller): Promise<string> {
  if (existsSync(path.join(folder, ".raymond"))) {
    return stateRoot({ stateDir: path.join(folder, ".raymond") }, caller);
  }
  const runs = await readdir(path.join(folder, "runs")).catch(() => null);
  if (runs === null && path.basename(folder) !== ".raymond") throw new NoRunsThereError(folder);
  return stateRoot({ stateDir: folder }, caller);
}

function real(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** The runs of a folder as the list shows them. Never rejects for what can be said instead. */
export async function folderJson(of: ServedFolder): Promise<FolderJson> {
  const { key: folder, root, project } = of;
  try {
    if (of.stood && !existsSync(root)) throw new FolderGoneError(root);
    const { runs } = await list({ stateDir: root }, of.caller);
    const shown = runs.slice(0, MOST_RUNS);
    return { ...{ folder, path: root, project, problem: null }, ...counted(runs, shown) };
  } catch (error) {
    const problem = problemOf(error);
    return { ...{ folder, path: root, project, problem, runs: [], more: 0 } };
  }
}

function counted(all: readonly RunSummary[], shown: readonly RunSummary[]) {
  return { runs: shown.map(summaryJson), more: all.length - shown.length };
}

/** More are not looked through, but pruned. */
const MOST_RUNS = 500;
