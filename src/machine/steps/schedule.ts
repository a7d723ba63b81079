import type { Address } from "../../language/protocol/address.ts";
import { stateKind } from "../../language/workflow/files/state-file.ts";
import { isIdle, timeoutStateOf, withinDuration } from "../model/activity.ts";
import { type Agent, conversationOf, type SessionId } from "../model/agent.ts";
import type { Event, RunUpdate } from "../model/event.ts";
import { stepKind } from "../model/gate.ts";
import { inFlight } from "../model/roster.ts";
import type { Candidates, RunState } from "../model/run-state.ts";
import { timeOutJoins } from "../moves/join.ts";
import { timeOutQuestions, waitsForPerson } from "../moves/question.ts";
import { applyResults, isResultDue } from "../moves/set-result.ts";
import { endRun, isLive, stopRun } from "../moves/stop.ts";
import { isInManualSession } from "./manual-session.ts";
import { dueAgents, nextWakeTime, plan } from "./plan.ts";
import { startStep } from "./start-step.ts";

export interface ScheduleInput {
  /** Epoch ms. */
  readonly at: number;
  /** New session ids, as many as {@link sessionIdsNeeded}, used in order by the steps that start. */
  readonly sessions: readonly SessionId[];
  /** A user at the terminal answers questions: the run continues while it waits for answers. */
  readonly attended?: true;
  /** Stop a run that only waits for a time (`--park`). */
  readonly parks?: true;
  /** Changed coding agents of states that are about to start; absent: none. */
  readonly backends?: Candidates;
}

/** The states of due prompts without a conversation: any coding agent of the state can answer them. */
export function openStates(found: RunState, at: number): readonly Address[] {
  if (!isLive(found) || found.stopReason !== null) return [];
  const [run] = settled(found, at);
  const states = new Map<string, Address>();
  for (const agent of dueAgents(run, at)) {
    const { workflow, state } = agent;
    if (stepKind(agent) === "script" || conversationOf(agent.session) !== null) continue;
    states.set(`${workflow ?? ""} ${state}`, { workflow, state });
  }
  return [...states.values()];
}

/** The maximum number of new session ids; extra ids are ignored. */
export function sessionIdsNeeded(run: RunState): number {
  const idle = run.agents.filter(
    // The state to which a result returns is not checked.
    (agent) => isResultDue(agent) || (isIdle(agent) && mayPrompt(agent)),
  );
  return Math.min(idle.length, run.settings.maxParallel);
}

/** A timeout may change the state to enter. */
function mayPrompt(agent: Agent): boolean {
  const late = timeoutStateOf(agent);
  return stepKind(agent) === "prompt" || (late !== null && stateKind(late) === "prompt");
}

/**
 * Applies results that persons have set, starts due steps, stops a run that cannot continue, updates its status, and ends it if nothing is in
 * flight and nothing will start. Apply answers that arrived in time first.
 */
export function schedule(
  found: RunState,
  { at, sessions, attended, parks, backends }: ScheduleInput,
): RunUpdate {
  const [before, early] = settled(withCandidates(found, backends), at);
  const planned = plan(before, at, { attended, parks });
  const emitted: Event[] = [...early];
  let run = before;
  const apply = ([next, events]: RunUpdate): void => {
    run = next;
    emitted.push(...events);
  };
  if (planned.stop !== null) apply(stopRun(run, planned.stop));
  let used = 0;
  const byId = new Map(run.agents.map((agent) => [agent.id, agent]));
  for (const id of planned.starts) {
    const agent = byId.get(id);
    if (agent === undefined) throw new Error(`run ${run.id} has no agent ${id} to start`);
    const prompt = stepKind(agent) === "prompt";
    const session = prompt ? (sessions[used++] ?? "") : "";
    if (prompt && session === "") throw new Error("too few session ids");
    apply(startStep(run, { agent, at, session, choice: planned.choices.get(id) }));
  }
  apply(endRun(withStatus(run, at)));
  return [run, emitted];
}

/** The run when its next steps are planned, and the events until then. */
function settled(found: RunState, at: number): RunUpdate {
  const [set, results] = isLive(found) ? applyResults(found) : [found, []];
  const [run, late] = endWaits(afterClockChange(set, at), at);
  return [run, [...results, ...late]];
}

/** Adjusts waits whose start is in the future: the clock was set back while the run was stopped. */
function afterClockChange(run: RunState, now: number): RunState {
  const agents = run.agents.map((agent) => {
    const activity = withinDuration(agent.activity, now);
    return activity === agent.activity ? agent : { ...agent, activity };
  });
  return agents.some((agent, index) => agent !== run.agents[index]) ? { ...run, agents } : run;
}

/** Ends joins and questions that have timed out. */
function endWaits(run: RunState, now: number): RunUpdate {
  if (run.stopReason !== null || !isLive(run)) return [run, []];
  const [joined, late] = timeOutJoins(run, now);
  const [next, unanswered] = timeOutQuestions(joined, now);
  return [next, [...late, ...unanswered]];
}

/** Sets the status to running or waiting. */
function withStatus(run: RunState, now: number): RunState {
  if (!isLive(run)) return run;
  const awaits =
    nextWakeTime(run, now) !== null || waitsForPerson(run) || run.agents.some(isInManualSession);
  const waits = inFlight(run).length === 0 && awaits;
  const status = waits ? "waiting" : "running";
  return status === run.status ? run : { ...run, status };
}

function withCandidates(run: RunState, changed: Candidates | undefined): RunState {
  return changed === undefined ? run : { ...run, candidates: { ...run.candidates, ...changed } };
}
