import type { Running } from "./activity.ts";
import type { Agent, AgentId } from "./agent.ts";
import type { Event, RunUpdate } from "./event.ts";
import type { RunState } from "./run-state.ts";

export function replaceAgent(run: RunState, agent: Agent): RunState {
  const index = run.agents.findIndex(({ id }) => id === agent.id);
  return index === -1 ? run : { ...run, agents: run.agents.with(index, agent) };
}

/** Replaces an agent and emits events. */
export function updateAgent(run: RunState, agent: Agent, ...events: readonly Event[]): RunUpdate {
  return [replaceAgent(run, agent), events];
}

/** Throws if there is no such agent: a bug. */
export function findAgent(run: RunState, id: AgentId): Agent {
  const agent = run.agents.find((other) => other.id === id);
  if (agent === undefined) throw new Error(`run ${run.id} has no agent ${id}`);
  return agent;
}

export type RunningAgent = Agent & { readonly activity: Running };

/** The agents with a running step. */
export function inFlight(run: RunState): readonly RunningAgent[] {
  return run.agents.filter((agent): agent is RunningAgent => agent.activity.type === "running");
}
