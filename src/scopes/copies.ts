import { readdirSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import path from "node:path";
import type { Manifest } from "../core/workflow/manifest.ts";
import { extensionOf } from "../core/workflow/state-name.ts";
import type { Scope } from "../ports/scope.ts";
import { syncFolder } from "./durable.ts";
import { folderScope } from "./folder.ts";
import { type Located, manifestIn } from "./open.ts";
import { isSingleFile, placedManifest, singleFileScope } from "./single-file.ts";

/** What a run keeps of a workflow that it has entered, in a folder of its hash. */
function partsOf(copy: string): { readonly packed: string; readonly unpacked: string } {
  return { packed: path.join(copy, "archive.zip"), unpacked: path.join(copy, "scope") };
}

/** Copies a zip or a workflow in one file to this folder, once: whole and on disk when this resolves. */
export async function copyWorkflow(located: Located, copy: string): Promise<void> {
  const parts = partsOf(copy);
  // Its name comes last.
  if (await isThere(parts.unpacked)) return;
  await mkdir(copy, { recursive: true, mode: 0o700 });
  await located.place({ archive: parts });
  await syncFolder(path.dirname(copy));
  await syncFolder(path.dirname(path.dirname(copy)));
}

/** The states of a copy; `original` tells what it is one of. */
export function copiedScope(original: string, copy: string): Scope {
  const { unpacked } = partsOf(copy);
  return isSingleFile(original) ? singleFileScope(unpacked) : folderScope(statesIn(unpacked));
}

/** What the workflow of a copy says of itself. */
export async function copiedManifest(original: string, copy: string): Promise<Manifest> {
  if (!isSingleFile(original)) return manifestIn(statesIn(partsOf(copy).unpacked));
  return placedManifest(partsOf(copy).unpacked);
}

/** Where the states of an unpacked zip lie: at its top, else in its one folder. */
function statesIn(unpacked: string): string {
  const entries = readdirSync(unpacked, { withFileTypes: true });
  if (entries.some((entry) => entry.isFile() && extensionOf(entry.name) !== null)) return unpacked;
  const top = entries.find((entry) => entry.isDirectory());
  return top === undefined ? unpacked : path.join(unpacked, top.name);
}

export async function isThere(place: string): Promise<boolean> {
  return stat(place).then(
    () => true,
    () => false,
  );
}
