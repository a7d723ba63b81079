import { advance, type Input } from "../core/machine/advance.ts";
import type { AgentId } from "../core/machine/agent.ts";
import type { Event } from "../core/machine/event.ts";
import { findAgent } from "../core/machine/roster.ts";
import type { RunSettings, RunState } from "../core/machine/run-state.ts";
import type { Control, Engine } from "./engine.ts";
import { recallSteps } from "./recall.ts";
import { runLoop } from "./run-loop.ts";
import { saveRun } from "./save.ts";

/**
 * Goes on with a run that has stopped or crashed, and drives it to its end. The
 * caller holds the run's lock. What the dead run has left running is ended
 * first: a client outlives its parent, and goes on working. What it has done
 * is in its conversation: an answer that is there is judged as if raymond had
 * heard it, and nothing is done again (docs/durability.md, "How it works").
 */
export async function resumeRun(
  loaded: RunState,
  given: Partial<RunSettings>,
  engine: Engine,
  control: Control,
): Promise<RunState> {
  const leftovers = await engine.leftovers.end(loaded.token);
  const { recollections, ends } = await recallSteps(loaded, engine);
  const told: Event[] = [];
  const resumed: Input = { type: "resumed", given, recalled: Object.fromEntries(recollections) };
  let [run] = advance(loaded, resumed);
  for (const end of ends) {
    const [next, events] = advance(run, end);
    told.push(tellFinished(run, end.agent), ...events);
    run = next;
  }
  const from = { kind: "resumed", run: loaded } as const;
  const inputs = [resumed, ...ends];
  run = await saveRun(run, { updatedAt: loaded.updatedAt, from, inputs }, engine);
  const { id, agents, backend } = run;
  engine.observer.notify({ type: "run.resumed", run: id, agents: agents.length, backend }, run);
  for (const { pid, command } of leftovers) {
    const message = `A process of the interrupted run was still alive, and was ended: ${command} (pid ${String(pid)}).`;
    engine.observer.notify({ type: "run.warning", message, hint: null }, run);
  }
  for (const event of told) engine.observer.notify(event, run);
  return runLoop(run, engine, control);
}

function tellFinished(run: RunState, id: AgentId): Event {
  const { state } = findAgent(run, id);
  const text = `The client had finished ${state} while raymond was dead: its answer counts.`;
  return { type: "step.notice", agent: id, state, text };
}
