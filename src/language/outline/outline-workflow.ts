import { RaymondError } from "../basics/errors.ts";
import type { StateName } from "../protocol/transition.ts";
import type { Platform } from "../workflow/files/platform.ts";
import { findEntry } from "../workflow/policy/entry.ts";
import type { Outline, OutlinedEntry, OutlinedState } from "./outline.ts";
import { problemOf } from "./outline-state.ts";

/** Outlines a workflow. `entry`: the state given by the user, else the default. `workflow`: its name in messages. */
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
    entry === null ? defaultEntry(names, platform, workflow) : ({ ok: true, name: entry } as const);
  return { platform, names, entry: found, states };
}

function defaultEntry(
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
