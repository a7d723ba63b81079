import { readdirSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { Scope } from "../engine/ports/scope.ts";
import { isThere } from "../files/paths.ts";
import type { Manifest } from "../language/workflow/files/manifest.ts";
import { extensionOf } from "../language/workflow/files/state-name.ts";
import { syncFolder } from "./durable.ts";
import { folderScope } from "./folder.ts";
import type { LocatedWorkflow } from "./open.ts";
import { copiedSingleFileManifest, isSingleFile, singleFileScope } from "./single-file.ts";
import { manifestIn } from "./workflow-source.ts";

/** The paths in a run's copy of a workflow. */
function partsOf(copy: string): { readonly packed: string; readonly unpacked: string } {
  return { packed: path.join(copy, "archive.zip"), unpacked: path.join(copy, "scope") };
}

/** Copies a zip or a workflow in one file to this folder, once and durably. */
export async function copyWorkflow(located: LocatedWorkflow, copy: string): Promise<void> {
  const parts = partsOf(copy);
  // The unpacked folder is renamed last, so that its existence means a complete copy.
  if (await isThere(parts.unpacked)) return;
  await mkdir(copy, { recursive: true, mode: 0o700 });
  await located.place({ archive: parts });
  await syncFolder(path.dirname(copy));
  await syncFolder(path.dirname(path.dirname(copy)));
}

/** The states of a copy. `original`: path of the copied workflow. */
export function copiedScope(original: string, copy: string): Scope {
  const { unpacked } = partsOf(copy);
  return isSingleFile(original) ? singleFileScope(unpacked) : folderScope(statesIn(unpacked));
}

/** The manifest of a copied workflow. */
export async function copiedManifest(original: string, copy: string): Promise<Manifest> {
  if (!isSingleFile(original)) return manifestIn(statesIn(partsOf(copy).unpacked));
  return copiedSingleFileManifest(partsOf(copy).unpacked);
}

/** The folder of the states in an unpacked zip: the top, else its only folder. */
function statesIn(unpacked: string): string {
  const entries = readdirSync(unpacked, { withFileTypes: true });
  if (entries.some((entry) => entry.isFile() && extensionOf(entry.name) !== null)) return unpacked;
  const top = entries.find((entry) => entry.isDirectory());
  return top === undefined ? unpacked : path.join(unpacked, top.name);
}
