import { fullName } from "../language/protocol/address.ts";
import type { RerunOrigin, RunState } from "../machine/run-state.ts";
import { checkCapabilities } from "./check-capabilities.ts";
import type { Control, Engine } from "./engine.ts";
import { EventBatch } from "./event-batch.ts";
import { runLoop } from "./run-loop.ts";
import { saveRun } from "./save.ts";

/**
 * Starts a new run from the state of another one (`src/machine/record/rerun.ts`) and drives it to
 * its end. The caller holds the run's lock. Rejects, with nothing saved, if the workflow requires
 * unsupported backend features.
 */
export async function rerunRun(
  created: RunState & { readonly origin: RerunOrigin },
  engine: Engine,
  control: Control,
): Promise<RunState> {
  await checkCapabilities(created.settings, engine);
  const { id: run, origin, agents, backend, updatedAt } = created;
  const { path: workflow, entry } = created.workflow;
  const [first] = agents;
  const state = first === undefined ? entry : fullName(first);
  const batch = new EventBatch(created, 0);
  batch.report(
    { type: "run.started", run, workflow, state, backend },
    {
      type: "run.rerun",
      run,
      of: origin.run,
      step: origin.step,
      costMicroUsd: origin.costMicroUsd,
      agents: agents.length,
    },
  );
  const from = { kind: "base", run: created } as const;
  const saved = await saveRun(batch.run, { updatedAt, from, inputs: batch.inputs }, engine);
  batch.notify(engine.observer, saved);
  return runLoop(saved, engine, control);
}
