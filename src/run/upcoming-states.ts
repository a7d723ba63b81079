import type { OutlineSource } from "../engine/ports/scope.ts";
import { readReachable } from "../inspect/outline.ts";
import { RaymondError } from "../language/basics/errors.ts";
import type { ReadState } from "../language/outline/outline.ts";
import type { RunState } from "../machine/model/run-state.ts";
import { systemPlatform } from "../wire/system/system.ts";

/**
 * The states of the started workflow that the agents of a run can reach from where they are. Null if
 * that is unknown: an agent is in another workflow, or a state cannot be read.
 */
export async function upcomingStates(
  { agents }: Pick<RunState, "agents">,
  source: OutlineSource,
): Promise<readonly ReadState[] | null> {
  const places = agents.flatMap(({ workflow, state, stack }) => [
    { workflow, state },
    ...stack.map((frame) => ({ workflow: frame.workflow, state: frame.returnTo })),
  ]);
  if (places.some(({ workflow }) => workflow !== null)) return null;
  const found = new Map<string, ReadState>();
  try {
    for (const entry of new Set(places.map(({ state }) => state))) {
      for (const state of await readReachable(source, systemPlatform(), entry)) {
        found.set(state.name, state);
      }
    }
  } catch (error) {
    // The step that needs the state reports the problem.
    if (error instanceof RaymondError) return null;
    throw error;
  }
  return [...found.values()];
}
