import { RaymondError } from "../core/errors.ts";
import type { Outline, OutlinedState } from "../core/outline/outline.ts";
import { type LoadedState, outlineState } from "../core/outline/outline-state.ts";
import { outlineWorkflow } from "../core/outline/outline-workflow.ts";
import type { StateName } from "../core/protocol/transition.ts";
import type { Platform } from "../core/workflow/platform.ts";
import { runsOn } from "../core/workflow/state-name.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { systemPlatform } from "./wire/system.ts";
import { findSource, type OutlineSource } from "./wire/workflow.ts";

/**
 * What the workflow at this path, as for `raymond WORKFLOW`, consists of, and
 * where its states lead. A state that is named is its entry. Rejects with a
 * RaymondError where there is no workflow.
 */
export async function outline(workflow: string, caller: Caller = thisProcess()): Promise<Outline> {
  const { found, source } = await findSource(workflow, caller);
  return readOutline(source, systemPlatform(), found.entry);
}

/**
 * What a workflow consists of and where its states lead: all states that this
 * platform runs. What is wrong with one is a value in its place. Files that have
 * not changed are not read again, as the Scope promises it.
 */
export async function readOutline(
  source: OutlineSource,
  platform: Platform,
  entry: StateName | null = null,
): Promise<Outline> {
  const names = await source.names();
  const states: OutlinedState[] = [];
  for (const name of names.filter((one) => runsOn(one, platform))) {
    states.push(outlineState(await loadState(name, source), names, platform));
  }
  return outlineWorkflow({ names, platform, workflow: source.workflow }, states, entry);
}

async function loadState(name: StateName, scope: OutlineSource): Promise<LoadedState> {
  const source = scope.source(name);
  try {
    return { name, source, file: await scope.load(name) };
  } catch (error) {
    if (error instanceof RaymondError) return { name, source, error };
    throw error;
  }
}
