import type { Input } from "../core/machine/advance.ts";
import type { AgentId } from "../core/machine/agent.ts";
import type { Event } from "../core/machine/event.ts";
import { findAgent } from "../core/machine/roster.ts";
import type { RunSettings, RunState } from "../core/machine/run-state.ts";
import { fullName } from "../core/protocol/address.ts";
import type { Leftover } from "../ports/leftovers.ts";
import type { Control, Engine } from "./engine.ts";
import { recallSteps } from "./recall.ts";
import { runLoop } from "./run-loop.ts";
import { saveRun } from "./save.ts";
import { Telling } from "./telling.ts";

/**
 * Goes on with a run that has stopped or crashed, and drives it to its end. The
 * caller holds the run's lock. What the dead run has left running is ended
 * first: a client outlives its parent, and goes on working. What it has done
 * is in its conversation: an answer that is there is judged as if raymond had
 * heard it, and nothing is done again (docs/durability.md, "How it works").
 * `first` is told before all else.
 */
export async function resumeRun(
  loaded: RunState,
  given: Partial<RunSettings>,
  engine: Engine,
  control: Control,
  first: readonly Event[] = [],
): Promise<RunState> {
  const { ended } = await engine.leftovers.end(loaded.token);
  const { recollections, ends } = await recallSteps(loaded, engine);
  const recalled = Object.fromEntries(recollections);
  const resumed: Input = { type: "resumed", given, recalled, told: await engine.lastTold() };
  const telling = new Telling(loaded, 0);
  telling.advance(resumed);
  const { id, agents, backend } = telling.run;
  telling.tell(...first);
  telling.tell({ type: "run.resumed", run: id, agents: agents.length, backend });
  telling.tell(...ended.map(tellLeftover));
  for (const end of ends) {
    telling.tell(tellFinished(telling.run, end.agent));
    telling.advance(end);
  }
  const from = { kind: "resumed", run: loaded } as const;
  const { updatedAt } = loaded;
  const run = await saveRun(telling.run, { updatedAt, from, inputs: telling.inputs }, engine);
  telling.notify(engine.observer, run);
  return runLoop(run, engine, control);
}

function tellLeftover({ pid, command }: Leftover): Event {
  const message = `A process of the interrupted run was still alive, and was ended: ${command} (pid ${String(pid)}).`;
  return { type: "run.warning", message, hint: null };
}

function tellFinished(run: RunState, id: AgentId): Event {
  const state = fullName(findAgent(run, id));
  const text = `The client had finished ${state} while raymond was dead: its answer counts.`;
  return { type: "step.notice", agent: id, state, text };
}
