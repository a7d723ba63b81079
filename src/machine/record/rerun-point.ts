import type { Agent } from "../agent.ts";
import type { RunState } from "../run-state.ts";
import { type RecordedStart, startsIn } from "./recorded-starts.ts";
import type { Recording } from "./recording.ts";

/** Where a run stood before a step of it began. */
export interface RerunPoint {
  /** The number of its process. */
  readonly step: number;
  /** Its agent, as it stood. */
  readonly agent: Agent;
  /** Epoch ms of when it began. */
  readonly at: number;
  readonly run: RunState;
}

/** Where a run stood before this step; null where its record does not tell of the step. */
export function pointBefore(recording: Recording, step: number): RerunPoint | null {
  const start = startsIn(recording).find((each) => each.step === step);
  return start === undefined ? null : pointOf(start);
}

/** Where a run stood before it entered this state the last time, by its full name; null where it has not. */
export function pointBeforeLastEntry(recording: Recording, state: string): RerunPoint | null {
  const start = startsIn(recording).findLast((each) => each.entered && each.state === state);
  return start === undefined ? null : pointOf(start);
}

/** The full names of all states that a run has entered, as far as its record tells. */
export function enteredStates(recording: Recording): readonly string[] {
  return [...new Set(startsIn(recording).flatMap(({ entered, state }) => (entered ? state : [])))];
}

function pointOf({ step, agent, at, before }: RecordedStart): RerunPoint {
  const stood = before.agents.find(({ id }) => id === agent.id);
  return { step, agent: stood ?? agent, at, run: before };
}
