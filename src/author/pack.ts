import { lookAhead } from "../inspect/history/look-ahead.ts";
import { readOutline } from "../inspect/outline.ts";
import type { Caller } from "../wire/caller.ts";
import { systemPlatform } from "../wire/system/system.ts";
import { findSource } from "../wire/workflow.ts";
import { type PackedWorkflow, packInto } from "./packing.ts";

/**
 * Writes the folder of a workflow as a zip whose name promises its hash; `output`
 * is a file of another name, or a folder to put it in. The same files give the
 * same zip. Rejects with a RaymondError, also where a run of the zip would not
 * begin; nothing is written over.
 */
export async function packWorkflow(
  folder: string,
  output: string | null,
  caller: Pick<Caller, "cwd">,
): Promise<PackedWorkflow> {
  const { source } = await findSource(folder, caller);
  const { entry } = await readOutline(source, systemPlatform());
  // Without a first state of its own each run of it is given one.
  if (entry.ok) await lookAhead(source, entry.name, folder);
  return packInto(folder, output, caller);
}
