import { fullName } from "../language/protocol/address.ts";
import type { RerunOrigin, RunState } from "../machine/model/run-state.ts";
import type { Control, Engine } from "./engine.ts";
import { EventBatch } from "./event-batch.ts";
import { checkCapabilities } from "./prepare/check-capabilities.ts";
import { driveRun } from "./start.ts";

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
  const { id: run, origin, agents, backend } = created;
  const { path: workflow, entry } = created.workflow;
  const [first] = agents;
  const state = first === undefined ? entry : fullName(first);
  const { run: of, step, costMicroUsd } = origin;
  const { actor } = engine;
  const batch = new EventBatch(created, 0);
  batch.report(
    { type: "run.started", run, workflow, state, backend, actor },
    { type: "run.rerun", run, of, step, costMicroUsd, agents: agents.length, actor },
  );
  return driveRun(batch, { kind: "base", run: created }, engine, control);
}
