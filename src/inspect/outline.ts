import type { OutlineSource } from "../engine/ports/scope.ts";
import { onUserError } from "../language/basics/errors.ts";
import {
  nextStates,
  type Outline,
  type OutlinedState,
  type ReadState,
} from "../language/outline/outline.ts";
import { type LoadedState, outlineFile, outlineState } from "../language/outline/outline-state.ts";
import { outlineWorkflow } from "../language/outline/outline-workflow.ts";
import type { StateName } from "../language/protocol/transition.ts";
import type { Platform } from "../language/workflow/files/platform.ts";
import { runsOn } from "../language/workflow/files/state-name.ts";
import { type Caller, thisProcess } from "../wire/caller.ts";
import { systemPlatform } from "../wire/system/system.ts";
import { findSource } from "../wire/workflow.ts";

/**
 * The states of a workflow and their possible transitions. A named state is the entry. Rejects with
 * a RaymondError if there is no such workflow.
 */
export async function outline(workflow: string, caller: Caller = thisProcess()): Promise<Outline> {
  const { found, source } = await findSource(workflow, caller);
  return readOutline(source, systemPlatform(), found.entry);
}

/**
 * Reads all states that this platform runs. A problem in a state is a value. Unchanged files are
 * not read again.
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

/**
 * The states that a run can reach from `entry`, breadth-first. Reads no other states. Rejects with
 * the RaymondError of the first unreadable one.
 */
export async function readReachable(
  scope: OutlineSource,
  platform: Platform,
  entry: StateName,
): Promise<readonly ReadState[]> {
  const names = await scope.names();
  const states: ReadState[] = [];
  const reached = new Set([entry]);
  // The loop also visits states that it adds to the set.
  for (const name of reached) {
    const file = await scope.load(name);
    const state = outlineFile(file, scope.source(name), names, platform);
    states.push(state);
    for (const next of nextStates(state)) reached.add(next);
  }
  return states;
}

async function loadState(name: StateName, scope: OutlineSource): Promise<LoadedState> {
  const source = scope.source(name);
  const loaded = scope.load(name).then((file) => ({ name, source, file }));
  return loaded.catch(onUserError((error) => ({ name, source, error })));
}
