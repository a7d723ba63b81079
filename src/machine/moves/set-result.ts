import { fullName } from "../../language/protocol/address.ts";
import { pendingQuestionOf, READY, runningOf } from "../model/activity.ts";
import type { Actor } from "../model/actor.ts";
import type { Agent, AgentId } from "../model/agent.ts";
import type { Event, RunUpdate } from "../model/event.ts";
import { updateAgent } from "../model/roster.ts";
import type { RunState } from "../model/run-state.ts";
import { move } from "./move.ts";

/** A person ends the step of an agent with a result (docs/cli.md, "raymond set"). */
export interface ResultByHand extends StepTarget {
  readonly agent: AgentId;
  readonly result: string;
  readonly reason: string | null;
  readonly actor: Actor;
}

/** The step that a person saw. A result for a step that is over is ignored. */
export interface StepTarget {
  /** The full name of its state. */
  readonly state: string;
  /** Number of the running process; null: none. */
  readonly process: number | null;
}

export function targetOf(agent: Agent): StepTarget {
  return { state: fullName(agent), process: runningOf(agent)?.process ?? null };
}

/** Whether the agent is still at this step, and may get a result. */
export function isAtStep(agent: Agent, { state, process }: StepTarget): boolean {
  const now = targetOf(agent);
  if (now.state !== state || now.process !== process) return false;
  return pendingQuestionOf(agent) === null && agent.opened === null;
}

/**
 * Stores a result with its agent. {@link applyResults} applies it once no step of the agent is in
 * flight and a process drives the run, so that a crash in between neither loses nor repeats it.
 */
export function setResult(run: RunState, given: ResultByHand): RunUpdate {
  const { agent: id, state, result, reason, actor } = given;
  const agent = run.agents.find((each) => each.id === id);
  if (agent === undefined || !isAtStep(agent, given)) return [run, []];
  const counted = { ...run, resultsSet: run.resultsSet + 1 };
  const event: Event = { type: "agent.result-set", agent: id, state, result, reason, actor };
  return updateAgent(counted, { ...agent, setResult: result }, event);
}

/** Ends the steps of agents with a stored result, as if their states had emitted it. */
export function applyResults(run: RunState): RunUpdate {
  const due = run.agents.filter(isResultDue);
  const events: Event[] = [];
  let next = run;
  for (const { id } of due) {
    // A result applied before may have changed it: it can be the parent of another agent.
    const agent = next.agents.find((each) => each.id === id);
    if (agent === undefined || agent.setResult === null) continue;
    const ready = { ...agent, activity: READY, readySince: next.totals.attempts, setResult: null };
    const transitions = [{ tag: "result", payload: agent.setResult } as const];
    const [moved, emitted] = move(next, ready, { transitions, implied: false }, NO_WAIT);
    next = moved;
    events.push(...emitted);
  }
  return [next, events];
}

/** Whether the next pass applies a stored result of the agent. */
export function isResultDue(agent: Agent): boolean {
  return agent.setResult !== null && runningOf(agent) === null && agent.opened === null;
}

/** A result has no delay and asks nothing. */
const NO_WAIT = { at: 0, call: null } as const;
