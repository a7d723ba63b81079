import { RaymondError } from "../errors.ts";
import type { StateName } from "../protocol/transition.ts";
import { findEntry } from "../workflow/entry.ts";
import type { Platform } from "../workflow/platform.ts";
import type { Outline, OutlinedEntry, OutlinedState } from "./outline.ts";
import { problemOf } from "./outline-state.ts";

/**
 * A workflow of these states; `entry` is where a run is to begin that was given
 * a state, else it is looked for. `workflow` is what messages call it.
 */
export function outlineWorkflow(
  {
    names,
    platform,
    workflow,
  }: Pick<Outline, "names" | "platform"> & { readonly workflow: string },
  states: readonly OutlinedState[],
  entry: StateName | null,
): Outline {
  const found =
    entry === null ? lookForEntry(names, platform, workflow) : ({ ok: true, name: entry } as const);
  return { platform, names, entry: found, states };
}

function lookForEntry(
  names: readonly StateName[],
  platform: Platform,
  workflow: string,
): OutlinedEntry {
  try {
    return { ok: true, name: findEntry(names, platform, workflow) };
  } catch (error) {
    if (error instanceof RaymondError) return { ok: false, problem: problemOf(error) };
    throw error;
  }
}
