import { isDeepStrictEqual } from "node:util";
import { fullName } from "../../language/protocol/address.ts";
import type { Candidates, RunState } from "../../machine/model/run-state.ts";
import { openStates } from "../../machine/steps/schedule.ts";
import type { Engine } from "../engine.ts";
import { isSimulated } from "../ports/backend.ts";

/**
 * Reads which coding agents may answer the prompts that are about to start, and returns the changes.
 * Nothing for a simulation, which stands for all of them.
 */
export async function findCandidates(
  run: RunState,
  at: number,
  { workflows }: Pick<Engine, "workflows">,
): Promise<Candidates> {
  if (isSimulated(run.backend)) return {};
  const usual = run.settings.agents ?? [run.backend];
  const changed: Record<string, readonly string[]> = {};
  for (const state of openStates(run, at)) {
    const found = (await workflows.agents(state.workflow, state.state)) ?? usual;
    const name = fullName(state);
    if (!isDeepStrictEqual(found, run.candidates[name])) changed[name] = found;
  }
  return changed;
}
