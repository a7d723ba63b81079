import type { RerunOrigin, RunState } from "../core/machine/run-state.ts";
import { fullName } from "../core/protocol/address.ts";
import { checkAbilities } from "./check-abilities.ts";
import type { Control, Engine } from "./engine.ts";
import { runLoop } from "./run-loop.ts";
import { saveRun } from "./save.ts";
import { Telling } from "./telling.ts";

/**
 * Begins a new run where another one stood (`core/machine/rerun.ts`), and drives
 * it to its end. The caller holds the run's lock. Rejects, with nothing saved,
 * where the workflow declares what the backend cannot do.
 */
export async function rerunRun(
  begun: RunState & { readonly origin: RerunOrigin },
  engine: Engine,
  control: Control,
): Promise<RunState> {
  await checkAbilities(begun.settings, engine);
  const { id: run, origin, agents, backend, updatedAt } = begun;
  const { path: workflow, entry } = begun.workflow;
  const [first] = agents;
  const state = first === undefined ? entry : fullName(first);
  const telling = new Telling(begun, 0);
  telling.tell(
    { type: "run.started", run, workflow, state, backend },
    { type: "run.rerun", run, of: origin.run, ...told(origin), agents: agents.length },
  );
  const from = { kind: "base", run: begun } as const;
  const saved = await saveRun(telling.run, { updatedAt, from, inputs: telling.inputs }, engine);
  telling.notify(engine.observer, saved);
  return runLoop(saved, engine, control);
}

function told({ step, costMicroUsd }: RerunOrigin) {
  return { step, costMicroUsd };
}
