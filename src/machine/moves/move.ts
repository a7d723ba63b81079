import { fullName } from "../../language/protocol/address.ts";
import { continuationOf, startsOf } from "../../language/protocol/output-elements.ts";
import type { Continuation, Start, Transition } from "../../language/protocol/transition.ts";
import type { Agent } from "../model/agent.ts";
import type { Event, RunUpdate } from "../model/event.ts";
import type { ForkedWorker } from "../model/forked.ts";
import { findAgent, replaceAgent } from "../model/roster.ts";
import type { RunState } from "../model/run-state.ts";
import { applyTransition, spawnWorker, workerId } from "./apply-transition.ts";
import { endAgent } from "./close-worktree.ts";
import { delayed } from "./delay.ts";
import { settleJoin, startJoin } from "./join.ts";
import { questionEvent, questionOf, startQuestion } from "./question.ts";
import { recordResult } from "./results.ts";

/** Resolved transitions of an output. */
export interface Move {
  readonly transitions: readonly Transition[];
  readonly implied: boolean;
}

/**
 * Applies all transitions of an output at once. Workers get ids in source order. `at`: epoch ms, start
 * of a `delay`. `call`: that of the step; null for scripts.
 */
export function move(
  run: RunState,
  agent: Agent,
  { transitions, implied }: Move,
  when: { readonly at: number; readonly call: number | null },
): RunUpdate {
  const stepped = { ...run, steps: run.steps + 1 };
  const way = continuationOf(transitions);
  const [forked, started] = startAgents(stepped, agent, startsOf(transitions));
  const entered = applyTransition(parentIn(forked, agent), way);
  const next =
    way.tag === "ask" && entered !== null
      ? startQuestion(forked, agent, entered, way, when)
      : waits(entered, way, when.at);
  if (next === null) {
    const result = way.tag === "result" ? way.payload : "";
    const { id } = agent;
    const state = fullName(agent);
    const recorded = recordResult(forked, id, result);
    const [ended, joined] = endAgent(recorded, agent, { ok: true, result });
    return [ended, [...started, { type: "agent.ended", agent: id, state, result }, ...joined]];
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
  const asked = question === null ? [] : [questionEvent(question)];
  const [settled, joined] = settleJoin(replaceAgent(forked, next), agent.id);
  return [settled, [moved, ...started, ...asked, ...joined]];
}

/** Why the run would exceed --max-agents after this move; null if it would not. */
export function agentLimitProblem(
  run: RunState,
  agent: Agent,
  { transitions }: Move,
): string | null {
  const { maxAgents } = run.settings;
  const starts = startsOf(transitions).length;
  const ended = applyTransition(agent, continuationOf(transitions)) === null ? 1 : 0;
  const living = run.agents.length + starts - ended;
  if (starts === 0 || living <= maxAgents) return null;
  const more = starts === 1 ? "one more agent" : `${String(starts)} more agents`;
  return `Cannot start ${more}: ${String(living)} agents would exceed --max-agents ${String(maxAgents)}.`;
}

/** The agent in its new state, with its wait. */
function waits(agent: Agent | null, way: Continuation, at: number): Agent | null {
  if (agent === null) return null;
  return way.tag === "join" ? startJoin(agent, way, at) : delayed(agent, way, at);
}

/** The agent, with the workers that it has just started. */
function parentIn(run: RunState, agent: Agent): Agent {
  return { ...agent, forked: findAgent(run, agent.id).forked };
}

/** Nested calls of other workflows, against infinite recursion. */
export const MAX_CROSSED = 32;

/** Why a call is nested too deeply; null if it is not. */
export function callDepthProblem({ stack }: Agent, { transitions }: Move): string | null {
  const way = continuationOf(transitions);
  if (way.tag !== "call-workflow" && way.tag !== "function-workflow") return null;
  if (stack.filter(({ crossed }) => crossed).length < MAX_CROSSED) return null;
  return `Cannot call the workflow ${way.path}: limit of ${String(MAX_CROSSED)} nested workflow calls reached.`;
}

function startAgents(run: RunState, parent: Agent, starts: readonly Start[]): RunUpdate {
  if (starts.length === 0) return [run, []];
  const before = run.forkCounters[parent.id] ?? 0;
  const workers = starts.map((start, index) =>
    spawnWorker(start, parent, workerId(parent.id, start, before + index + 1), run.id),
  );
  const events = workers.map(
    (worker): Event => ({
      type: "agent.forked",
      agent: parent.id,
      worker: worker.id,
      state: fullName(worker),
      attributes: worker.attributes,
      branch: worker.worktree?.branch,
    }),
  );
  const known = workers.map(
    (worker): ForkedWorker => ({
      agent: worker.id,
      state: fullName(worker),
      attributes: worker.attributes,
      end: null,
      branch: undefined,
    }),
  );
  const grown = replaceAgent(run, { ...parent, forked: [...parent.forked, ...known] });
  const forkCounters = { ...run.forkCounters, [parent.id]: before + starts.length };
  return [{ ...run, agents: [...grown.agents, ...workers], forkCounters }, events];
}
