import path from "node:path";
import { lookAhead } from "../inspect/history/look-ahead.ts";
import { readOutline } from "../inspect/outline.ts";
import { packFolder, writePacked } from "../scopes/pack.ts";
import { orDiskError } from "../storage/errors.ts";
import type { Caller } from "../wire/caller.ts";
import { systemPlatform } from "../wire/system/system.ts";
import { findSource } from "../wire/workflow.ts";

export interface PackedWorkflow {
  /** Of the zip, absolute. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Sorted. */
  readonly files: readonly string[];
  /** Top-level files that are not packed: hidden files, tests and simulations. */
  readonly leftOut: readonly string[];
}

/**
 * Writes the folder of a workflow as a zip whose name contains its hash. `output`: another file
 * name, or a folder. The same files give the same zip. Rejects with a RaymondError, also if a run
 * of the zip could not start. Overwrites nothing.
 */
export async function packWorkflow(
  folder: string,
  output: string | null,
  caller: Pick<Caller, "cwd">,
): Promise<PackedWorkflow> {
  const { source } = await findSource(folder, caller);
  const platform = systemPlatform();
  const { entry } = await readOutline(source, platform);
  // Without an entry, each run of the workflow names its first state.
  if (entry.ok) await lookAhead(source, entry.name, folder);
  const from = path.resolve(caller.cwd, folder);
  const packed = await orDiskError("read", from, () => packFolder(from, platform, isForAuthors));
  const place = path.resolve(caller.cwd, output ?? ".");
  const file = await orDiskError("write", place, () => writePacked(packed, place));
  const { sha256, bytes, files, leftOut } = packed;
  return { path: file, sha256, bytes: bytes.length, files, leftOut };
}

/** Tests and simulations of a zip are next to it, never inside. */
function isForAuthors(name: string): boolean {
  return !name.includes("/") && /\.(?:test|sim)\.yaml$/.test(name);
}
