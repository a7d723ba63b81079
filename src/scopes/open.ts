import { readdir } from "node:fs/promises";
import path from "node:path";
import type { RaymondError } from "../language/basics/errors.ts";
import type { StateName } from "../language/protocol/transition.ts";
import type { Platform } from "../language/workflow/files/platform.ts";
import { extensionOf, stemOf } from "../language/workflow/files/state-name.ts";
import { findEntry, resolveEntry } from "../language/workflow/policy/entry.ts";
import { describeLookalike } from "../language/workflow/state-lookalike.ts";
import { scopeErrors } from "./errors.ts";
import { folderScope, nearStatesIn } from "./folder.ts";
import { isSingleFile } from "./single-file.ts";
import { findWorkflowsIn, nextHint } from "./suggest-workflows.ts";
import { entryAt, inFolder, inSingleFile, inZip, type WorkflowSource } from "./workflow-source.ts";

export interface LocatedWorkflow extends WorkflowSource {
  readonly entry: StateName;
}

/**
 * Finds the workflow that a user names (docs/authoring.md, "Names and files"): a folder, a zip, a
 * single file, or a state file with or without its extension. `start`: a first state other than the
 * default. Rejects with `workflow/not-found`, `workflow/not-a-workflow`, `workflow/two-starts`, or
 * errors of the first state (`src/language/workflow/errors.ts`) and of zips.
 */
export async function locateWorkflow(
  wanted: string,
  platform: Platform,
  start: string | null = null,
): Promise<LocatedWorkflow> {
  const found = await findWorkflow(wanted, platform, start !== null);
  if (found.entry !== null) {
    // A named state is itself the first state.
    if (start !== null)
      throw scopeErrors["workflow/two-starts"](found.path, start, path.dirname(found.path));
    return { ...found, entry: found.entry };
  }
  const entry =
    start === null
      ? findEntry(found.names, platform, found.path)
      : resolveEntry(found.names, start, platform);
  return { ...found, entry };
}

/**
 * Like {@link locateWorkflow} without the first state. A folder that contains only a README counts
 * as a workflow only with `evenBare`.
 */
export async function findWorkflow(
  wanted: string,
  platform: Platform,
  evenBare = false,
): Promise<WorkflowSource> {
  const absolute = path.resolve(wanted);
  const there = entryAt(wanted);
  if (there === null) return findByStem(absolute, platform);
  if (there.isDirectory()) {
    const names = await folderScope(absolute).names();
    if (names.length === 0 || (isBare(names) && !evenBare))
      throw await noStates(absolute, platform);
    return inFolder(absolute, absolute, null);
  }
  if (!there.isFile())
    throw scopeErrors["workflow/not-a-workflow"](absolute, "is neither a file nor a folder");
  if (absolute.toLowerCase().endsWith(".zip")) return inZip(absolute, platform);
  if (isSingleFile(absolute)) return inSingleFile(absolute);
  if (extensionOf(absolute) === null) {
    throw scopeErrors["workflow/not-a-workflow"](
      absolute,
      "is not a state, a zip or a workflow in one file",
    );
  }
  const dir = path.dirname(absolute);
  const names = await folderScope(dir).names();
  const entry = resolveEntry(names, path.basename(absolute), platform);
  return inFolder(dir, absolute, entry);
}

/** Whether a folder has no states except a README: such a folder may contain workflows. */
export function isBare(names: readonly StateName[]): boolean {
  return names.every((name) => name === "README.md");
}

async function findByStem(absolute: string, platform: Platform): Promise<WorkflowSource> {
  const dir = path.dirname(absolute);
  const stem = path.basename(absolute);
  const folder = entryAt(dir);
  if (folder?.isDirectory() !== true) throw await notFound(absolute, platform);
  const names = await folderScope(dir).names();
  const isMeant = (name: StateName) => stemOf(name).normalize("NFC") === stem.normalize("NFC");
  if (!names.some(isMeant)) throw await notFound(absolute, platform);
  const entry = resolveEntry(names, stem, platform);
  return inFolder(dir, path.join(dir, entry), entry);
}

async function noStates(folder: string, platform: Platform): Promise<RaymondError> {
  const [near] = nearStatesIn(folder);
  if (near !== undefined) {
    const { message, hint } = describeLookalike(near);
    return scopeErrors["workflow/not-a-workflow"](folder, "has no states", `${message} ${hint}`);
  }
  const hint = nextHint(folder, await findWorkflowsIn(folder, platform));
  return scopeErrors["workflow/not-a-workflow"](folder, "has no states", hint);
}

/** Suggests similar names in the last existing folder of the path. */
async function notFound(absolute: string, platform: Platform): Promise<RaymondError> {
  let folder = path.dirname(absolute);
  let missing = path.basename(absolute);
  while (entryAt(folder)?.isDirectory() !== true && folder !== path.dirname(folder)) {
    missing = path.basename(folder);
    folder = path.dirname(folder);
  }
  const onTheWay = folder !== path.dirname(absolute);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries
    .filter(
      (entry) =>
        (onTheWay && entry.isDirectory()) || /\.(?:md|sh|bat|ps1|zip|ya?ml)$/.test(entry.name),
    )
    .map((entry) => entry.name)
    .filter((name) => !name.startsWith("."));
  const workflows = await findWorkflowsIn(folder, platform);
  return scopeErrors["workflow/not-found"](
    absolute,
    folder,
    missing,
    [...workflows, ...names.sort()],
    nextHint(folder, workflows),
  );
}
