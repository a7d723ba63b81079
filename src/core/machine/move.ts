import { startsOf, wayOf } from "../protocol/row.ts";
import type { Start, Transition } from "../protocol/transition.ts";
import type { Agent } from "./agent.ts";
import { applyTransition, spawnWorker, workerId } from "./apply-transition.ts";
import { delayed } from "./delay.ts";
import type { Advanced, Event } from "./event.ts";
import { keepResult } from "./results.ts";
import { replaceAgent } from "./roster.ts";
import type { RunState } from "./run-state.ts";

/** A row of transitions whose names are resolved, and whether its rules left no choice. */
export interface Move {
  readonly transitions: readonly Transition[];
  readonly implied: boolean;
}

/**
 * Applies all that one output asks for, at once: the agent goes its way, and
 * what it starts gets ids from its counter in the order of the text. `at`, epoch
 * ms, is when: from then on a `delay` counts.
 */
export function move(
  run: RunState,
  agent: Agent,
  { transitions, implied }: Move,
  at: number,
): Advanced {
  const stepped = { ...run, steps: run.steps + 1 };
  const way = wayOf(transitions);
  const [forked, started] = startAgents(stepped, agent, startsOf(transitions));
  const next = delayed(applyTransition(agent, way), way, at);
  if (next === null) {
    const result = way.tag === "result" ? way.payload : "";
    const { id, state } = agent;
    const told: Event = { type: "agent.ended", agent: id, state, result };
    return [keepResult(forked, id, result), [...started, told]];
  }
  const [only, other] = transitions;
  const moved: Event = {
    type: "agent.moved",
    agent: agent.id,
    from: agent.state,
    transition: only === undefined || other !== undefined ? way : only,
    implied,
    to: next.state,
    dropped: way.tag === "reset" ? agent.stack.length - next.stack.length : 0,
  };
  return [replaceAgent(forked, next), [moved, ...started]];
}

/**
 * Why the living agents would be too many after this row, as a sentence; `null`
 * where they are not. Then nothing of it is applied.
 */
export function crowdProblem(run: RunState, agent: Agent, { transitions }: Move): string | null {
  const { maxAgents } = run.settings;
  const starts = startsOf(transitions).length;
  const ended = applyTransition(agent, wayOf(transitions)) === null ? 1 : 0;
  const living = run.agents.length + starts - ended;
  if (starts === 0 || living <= maxAgents) return null;
  const more = starts === 1 ? "one more agent" : `${String(starts)} more agents`;
  return `It asks for ${more}, and ${String(living)} would live then: --max-agents allows ${String(maxAgents)}.`;
}

function startAgents(run: RunState, parent: Agent, starts: readonly Start[]): Advanced {
  if (starts.length === 0) return [run, []];
  const before = run.forkCounters[parent.id] ?? 0;
  const workers = starts.map((start, index) =>
    spawnWorker(start, workerId(parent.id, start.target, before + index + 1), parent.readySince),
  );
  const events = workers.map(
    ({ id, state, attributes }): Event => ({
      type: "agent.forked",
      agent: parent.id,
      worker: id,
      state,
      attributes,
    }),
  );
  const forkCounters = { ...run.forkCounters, [parent.id]: before + starts.length };
  return [{ ...run, agents: [...run.agents, ...workers], forkCounters }, events];
}
