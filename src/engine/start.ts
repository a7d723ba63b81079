import { type Beginning, newRun } from "../core/machine/new-run.ts";
import type { RunState } from "../core/machine/run-state.ts";
import type { Control, Engine } from "./engine.ts";
import { runLoop } from "./run-loop.ts";

/** Begins a new run and drives it to its end. The caller holds the run's lock. */
export async function startRun(
  beginning: Beginning,
  engine: Engine,
  control: Control,
): Promise<RunState> {
  const run = newRun(beginning);
  await engine.store.save(run);
  const { id, workflow } = run;
  const simulated = run.backend === "simulation";
  const state = workflow.entry;
  engine.observer.notify(
    { type: "run.started", run: id, workflow: workflow.path, state, simulated },
    run,
  );
  return runLoop(run, engine, control);
}
