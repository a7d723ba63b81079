import { stateKind } from "../workflow/state-file.ts";
import { isIdle, lateOf, withinDuration } from "./activity.ts";
import type { Agent, SessionId } from "./agent.ts";
import type { Advanced, Event } from "./event.ts";
import { stepKind } from "./gate.ts";
import { endLateJoins } from "./join.ts";
import { isOpened } from "./opening.ts";
import { plan, wakeAt } from "./plan.ts";
import { endLateQuestions, waitsForPerson } from "./question.ts";
import { inFlight } from "./roster.ts";
import type { RunState } from "./run-state.ts";
import { startStep } from "./start-step.ts";
import { endRun, isLive, stopRun } from "./stop.ts";

/** Somebody looks what there is to do. */
export interface Look {
  /** Epoch ms. */
  readonly at: number;
  /** New session ids, as many as {@link sessionsFor} says: the steps that start take them in order. */
  readonly sessions: readonly SessionId[];
  /** Somebody sits here who is asked what agents ask: the run goes on until they have answered. */
  readonly attended?: true;
  /** A run that only waits for a time stops, to be resumed at that time. */
  readonly parks?: true;
}

/** How many new session ids a look can need; what is too many is not used. */
export function sessionsFor(run: RunState): number {
  const idle = run.agents.filter((agent) => isIdle(agent) && mayPrompt(agent));
  return Math.min(idle.length, run.settings.maxParallel);
}

/** The state that it is to enter may change with this look. */
function mayPrompt(agent: Agent): boolean {
  const late = lateOf(agent);
  return stepKind(agent) === "prompt" || (late !== null && stateKind(late) === "prompt");
}

/**
 * Does what is due: starts what may start, stops a run in which nothing can
 * start any more, names it by what it does, and ends it when nothing is in
 * flight and nothing will start. Answers that were given in time have to be told before.
 */
export function look(found: RunState, { at, sessions, attended, parks }: Look): Advanced {
  const [before, late] = endWaits(afterClockChange(found, at), at);
  const planned = plan(before, at, { attended, parks });
  const told: Event[] = [...late];
  let run = before;
  const tell = ([next, events]: Advanced): void => {
    run = next;
    told.push(...events);
  };
  if (planned.stop !== null) tell(stopRun(run, planned.stop));
  let used = 0;
  const byId = new Map(run.agents.map((agent) => [agent.id, agent]));
  for (const id of planned.starts) {
    const agent = byId.get(id);
    if (agent === undefined) throw new Error(`run ${run.id} has no agent ${id} to start`);
    const prompt = stepKind(agent) === "prompt";
    const session = prompt ? (sessions[used++] ?? "") : "";
    if (prompt && session === "") throw new Error("a look came with too few session ids");
    tell(startStep(run, { agent, at, session }));
  }
  tell(endRun(named(run, at)));
  return [run, told];
}

/** Waits that began later than now keep their duration: the clock was set back while no process drove the run. */
function afterClockChange(run: RunState, now: number): RunState {
  const agents = run.agents.map((agent) => {
    const activity = withinDuration(agent.activity, now);
    return activity === agent.activity ? agent : { ...agent, activity };
  });
  return agents.some((agent, index) => agent !== run.agents[index]) ? { ...run, agents } : run;
}

/** Lets go on whose joins and questions have waited for as long as they may. */
function endWaits(run: RunState, now: number): Advanced {
  if (run.stopReason !== null || !isLive(run)) return [run, []];
  const [joined, late] = endLateJoins(run, now);
  const [next, unanswered] = endLateQuestions(joined, now);
  return [next, [...late, ...unanswered]];
}

/** The run as it is called while it has nothing to do but to wait, or while it works. */
function named(run: RunState, now: number): RunState {
  if (!isLive(run)) return run;
  const awaits = wakeAt(run, now) !== null || waitsForPerson(run) || run.agents.some(isOpened);
  const waits = inFlight(run).length === 0 && awaits;
  const status = waits ? "waiting" : "running";
  return status === run.status ? run : { ...run, status };
}
