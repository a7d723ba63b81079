import { type Beginning, newRun } from "../core/machine/new-run.ts";
import type { RunState } from "../core/machine/run-state.ts";
import { checkAbilities } from "./check-abilities.ts";
import type { Control, Engine } from "./engine.ts";
import { runLoop } from "./run-loop.ts";
import { saveRun } from "./save.ts";
import { Telling } from "./telling.ts";

/**
 * Begins a new run and drives it to its end. The caller holds the run's lock.
 * Rejects, with nothing saved, where the workflow declares what the backend
 * cannot do.
 */
export async function startRun(
  beginning: Beginning,
  engine: Engine,
  control: Control,
): Promise<RunState> {
  await checkAbilities(beginning.settings, engine);
  const begun = newRun(beginning);
  const { id, workflow, backend, updatedAt } = begun;
  const { entry: state, path } = workflow;
  const telling = new Telling(begun, 0);
  telling.tell({ type: "run.started", run: id, workflow: path, state, backend });
  const from = { kind: "begun", beginning } as const;
  const run = await saveRun(telling.run, { updatedAt, from, inputs: telling.inputs }, engine);
  telling.notify(engine.observer, run);
  return runLoop(run, engine, control);
}
