import { fullName } from "../protocol/address.ts";
import { startsOf, wayOf } from "../protocol/row.ts";
import type { Start, Transition, Way } from "../protocol/transition.ts";
import type { Agent } from "./agent.ts";
import { applyTransition, spawnWorker, workerId } from "./apply-transition.ts";
import { delayed } from "./delay.ts";
import type { Advanced, Event } from "./event.ts";
import type { Forked } from "./forked.ts";
import { joining, reportEnd, settleJoin } from "./join.ts";
import { asking, questionOf, tellQuestion } from "./question.ts";
import { keepResult } from "./results.ts";
import { findAgent, replaceAgent } from "./roster.ts";
import type { RunState } from "./run-state.ts";

/** A row of transitions whose names are resolved, and whether its rules left no choice. */
export interface Move {
  readonly transitions: readonly Transition[];
  readonly implied: boolean;
}

/**
 * Applies all that one output asks for, at once: the agent goes its way, and
 * what it starts gets ids from its counter in the order of the text. `at`, epoch
 * ms, is when: from then on a `delay` counts; `call` is that of the step, where it has one.
 */
export function move(
  run: RunState,
  agent: Agent,
  { transitions, implied }: Move,
  when: { readonly at: number; readonly call: number | null },
): Advanced {
  const stepped = { ...run, steps: run.steps + 1 };
  const way = wayOf(transitions);
  const [forked, started] = startAgents(stepped, agent, startsOf(transitions));
  const entered = applyTransition(parentIn(forked, agent), way);
  const next =
    way.tag === "ask" && entered !== null
      ? asking(forked, agent, entered, way, when)
      : waits(entered, way, when.at);
  if (next === null) {
    const result = way.tag === "result" ? way.payload : "";
    const { id } = agent;
    const state = fullName(agent);
    const told: Event = { type: "agent.ended", agent: id, state, result };
    const [ended, joined] = reportEnd(keepResult(forked, id, result), id, { ok: true, result });
    return [ended, [...started, told, ...joined]];
  }
  const [only, other] = transitions;
  const moved: Event = {
    type: "agent.moved",
    agent: agent.id,
    from: fullName(agent),
    transition: only === undefined || other !== undefined ? way : only,
    implied,
    to: fullName(next),
    dropped:
      way.tag === "reset" || way.tag === "reset-workflow"
        ? agent.stack.length - next.stack.length
        : 0,
  };
  const question = questionOf(next);
  const asked = question === null ? [] : [tellQuestion(question)];
  const [settled, joined] = settleJoin(replaceAgent(forked, next), agent.id);
  return [settled, [moved, ...started, ...asked, ...joined]];
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

/** The agent at its new state, with what keeps it from its step there. */
function waits(agent: Agent | null, way: Way, at: number): Agent | null {
  if (agent === null) return null;
  return way.tag === "join" ? joining(agent, way, at) : delayed(agent, way, at);
}

/** The agent that asks, with the workers that it has just started. */
function parentIn(run: RunState, agent: Agent): Agent {
  return { ...agent, forked: findAgent(run, agent.id).forked };
}

/** Calls of other workflows that wait for a result at once: more is one that calls itself for ever. */
export const MAX_CROSSED = 32;

/** Why a call would go too deep, as a sentence; `null` where it does not. */
export function depthProblem({ stack }: Agent, { transitions }: Move): string | null {
  const way = wayOf(transitions);
  if (way.tag !== "call-workflow" && way.tag !== "function-workflow") return null;
  if (stack.filter(({ crossed }) => crossed).length < MAX_CROSSED) return null;
  return `It calls the workflow ${way.path}, and ${String(MAX_CROSSED)} calls of workflows wait for their results already, which is the limit.`;
}

function startAgents(run: RunState, parent: Agent, starts: readonly Start[]): Advanced {
  if (starts.length === 0) return [run, []];
  const before = run.forkCounters[parent.id] ?? 0;
  const workers = starts.map((start, index) =>
    spawnWorker(start, parent, workerId(parent.id, start, before + index + 1)),
  );
  const events = workers.map(
    (worker): Event => ({
      type: "agent.forked",
      agent: parent.id,
      worker: worker.id,
      state: fullName(worker),
      attributes: worker.attributes,
    }),
  );
  const known = workers.map(
    (worker): Forked => ({
      agent: worker.id,
      state: fullName(worker),
      attributes: worker.attributes,
      end: null,
    }),
  );
  const grown = replaceAgent(run, { ...parent, forked: [...parent.forked, ...known] });
  const forkCounters = { ...run.forkCounters, [parent.id]: before + starts.length };
  return [{ ...run, agents: [...grown.agents, ...workers], forkCounters }, events];
}
