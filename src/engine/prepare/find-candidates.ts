import { changedCandidates } from "../../machine/backends/candidates.ts";
import type { Candidates, RunState } from "../../machine/model/run-state.ts";
import { openStates } from "../../machine/steps/schedule.ts";
import type { Engine } from "../engine.ts";
import { isSimulated } from "../ports/backend.ts";

/**
 * Reads which coding agents may answer the prompts that are about to start, and returns the changes:
 * nothing in a run with one coding agent. Of a simulation too, which stands for all of them.
 */
export async function findCandidates(
  run: RunState,
  at: number,
  { workflows }: Pick<Engine, "workflows">,
): Promise<Candidates> {
  if (isSimulated(run.backend)) return {};
  const usual = run.settings.agents ?? [run.backend];
  let found: Candidates = {};
  for (const state of openStates(run, at)) {
    const named = await workflows.agents(state.workflow, state.state);
    found = { ...found, ...changedCandidates(run, state, named ?? usual) };
  }
  return found;
}
