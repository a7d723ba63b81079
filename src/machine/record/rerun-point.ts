import type { Agent } from "../model/agent.ts";
import { stepName } from "../model/gate.ts";
import { inFlight, type RunningAgent } from "../model/roster.ts";
import type { RunState } from "../model/run-state.ts";
import type { Recording } from "./recording.ts";

/** The state of a run before one of its steps. */
export interface RerunPoint {
  /** Number of its process. */
  readonly step: number;
  /** The agent before the step. */
  readonly agent: Agent;
  /** Start of the step, epoch ms. */
  readonly at: number;
  readonly run: RunState;
}

/** Null if the recording does not contain the step. */
export function pointBefore(recording: Recording, step: number): RerunPoint | null {
  const start = startsIn(recording).find((each) => each.step === step);
  return start === undefined ? null : pointOf(start);
}

/** The point before the last entry of a state, by its full name; null if it was not entered. */
export function pointBeforeLastEntry(recording: Recording, state: string): RerunPoint | null {
  const start = startsIn(recording).findLast((each) => each.isFirst && each.state === state);
  return start === undefined ? null : pointOf(start);
}

/** The full names of all states that the recording enters. */
export function enteredStates(recording: Recording): readonly string[] {
  return [...new Set(startsIn(recording).flatMap(({ isFirst, state }) => (isFirst ? state : [])))];
}

function pointOf({ step, agent, at, before }: RecordedStart): RerunPoint {
  const earlier = before.agents.find(({ id }) => id === agent.id);
  return { step, agent: earlier ?? agent, at, run: before };
}

interface RecordedStart {
  /** Number of its process. */
  readonly step: number;
  readonly agent: RunningAgent;
  /** The full name of the state. */
  readonly state: string;
  /** It is the first step of a visit, not a reminder or a retry. */
  readonly isFirst: boolean;
  /** Epoch ms. */
  readonly at: number;
  /** The run before the steps that started together. */
  readonly before: RunState;
}

/** The starts of all steps, sorted by number. */
export function startsIn({ moments }: Recording): readonly RecordedStart[] {
  return moments
    .flatMap(({ inputs }) => inputs)
    .flatMap(({ input, before, after }) => {
      if (input.type !== "looked" || after.processes === before.processes) return [];
      const started = inFlight(after).filter(({ activity }) => activity.process > before.processes);
      return started
        .map((agent): RecordedStart => {
          const { gate, starts, activity } = agent;
          const isFirst = (gate?.starts ?? starts) === 1;
          const state = stepName(agent);
          return { step: activity.process, agent, state, isFirst, at: input.at, before };
        })
        .toSorted((a, b) => a.step - b.step);
    });
}
