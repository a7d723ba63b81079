import type { RunState } from "../machine/model/run-state.ts";
import { type NewRunOptions, newRun } from "../machine/moves/new-run.ts";
import type { Origin } from "../machine/record/journal.ts";
import type { Control, Engine } from "./engine.ts";
import { EventBatch } from "./event-batch.ts";
import { checkCapabilities } from "./prepare/check-capabilities.ts";
import { runLoop } from "./run-loop.ts";
import { saveRun } from "./save.ts";

/**
 * Starts a new run and drives it to its end. The caller holds the run's lock. Rejects, with nothing
 * saved, if the workflow requires unsupported backend features.
 */
export async function startRun(
  options: NewRunOptions,
  engine: Engine,
  control: Control,
): Promise<RunState> {
  await checkCapabilities(options.settings, engine);
  const created = newRun(options);
  const { id, workflow, backend } = created;
  const { entry: state, path } = workflow;
  const batch = new EventBatch(created, 0);
  batch.report({
    type: "run.started",
    run: id,
    workflow: path,
    state,
    backend,
    actor: engine.actor,
  });
  return driveRun(batch, { kind: "started", options }, engine, control);
}

/** Makes the first save of a process, notifies the observer, and drives the run to its end. */
export async function driveRun(
  batch: EventBatch,
  from: Origin,
  engine: Engine,
  control: Control,
): Promise<RunState> {
  const { updatedAt } = batch.run;
  const saved = await saveRun(batch.run, { updatedAt, from, inputs: batch.inputs }, engine);
  batch.notify(engine.observer, saved);
  return runLoop(saved, engine, control);
}
