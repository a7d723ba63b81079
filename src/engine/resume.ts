import { recover } from "../core/machine/recover.ts";
import type { RunSettings, RunState } from "../core/machine/run-state.ts";
import type { Control, Engine } from "./engine.ts";
import { runLoop } from "./run-loop.ts";

/**
 * Goes on with a run that has stopped or crashed, and drives it to its end. The
 * caller holds the run's lock. What has survived of the dead run is ended
 * first: a client outlives its parent, and goes on working (contract point 6).
 */
export async function resumeRun(
  loaded: RunState,
  given: Partial<RunSettings>,
  engine: Engine,
  control: Control,
): Promise<RunState> {
  const survivors = await engine.leftovers.end(loaded.token);
  const run = recover(loaded, given);
  await engine.store.save(run);
  const { id, agents, backend } = run;
  engine.observer.notify(
    { type: "run.resumed", run: id, agents: agents.length, simulated: backend === "simulation" },
    run,
  );
  for (const { pid, command } of survivors) {
    const message = `A process of the interrupted run was still alive, and was ended: ${command} (pid ${String(pid)}).`;
    engine.observer.notify({ type: "run.warning", message, hint: null }, run);
  }
  return runLoop(run, engine, control);
}
