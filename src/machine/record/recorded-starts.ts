import { inFlight, type RunningAgent } from "../move/roster.ts";
import type { RunState } from "../run-state.ts";
import { stepName } from "../step/gate.ts";
import type { Recording } from "./recording.ts";

/** A step that a run has begun, as its record tells. */
export interface RecordedStart {
  /** The number of its process. */
  readonly step: number;
  readonly agent: RunningAgent;
  /** The full name of the state that it executes. */
  readonly state: string;
  /** Whether it is the first step in that state, and no reminder or retry. */
  readonly entered: boolean;
  /** Epoch ms. */
  readonly at: number;
  /** The run before all that began at that moment. */
  readonly before: RunState;
}

/** The steps of a run in the order of their numbers. */
export function startsIn({ moments }: Recording): readonly RecordedStart[] {
  return moments
    .flatMap(({ inputs }) => inputs)
    .flatMap(({ input, before, after }) => {
      if (input.type !== "looked" || after.processes === before.processes) return [];
      const begun = inFlight(after).filter(({ activity }) => activity.process > before.processes);
      return begun
        .map((agent) => startOf(agent, input.at, before))
        .toSorted((a, b) => a.step - b.step);
    });
}

function startOf(agent: RunningAgent, at: number, before: RunState): RecordedStart {
  const { gate, starts, activity } = agent;
  return {
    step: activity.process,
    agent,
    state: stepName(agent),
    entered: (gate?.starts ?? starts) === 1,
    at,
    before,
  };
}
