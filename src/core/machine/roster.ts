import type { Running } from "./activity.ts";
import type { Agent, AgentId } from "./agent.ts";
import type { RunState } from "./run-state.ts";

/** The run with this agent in place of its former self. */
export function replaceAgent(run: RunState, agent: Agent): RunState {
  const index = run.agents.findIndex(({ id }) => id === agent.id);
  return index === -1 ? run : { ...run, agents: run.agents.with(index, agent) };
}

/** A living agent by its id. Throws when there is none: then the engine has a bug. */
export function findAgent(run: RunState, id: AgentId): Agent {
  const agent = run.agents.find((other) => other.id === id);
  if (agent === undefined) throw new Error(`run ${run.id} has no agent ${id}`);
  return agent;
}

/** An agent whose step runs. */
export type RunningAgent = Agent & { readonly activity: Running };

/** The agents whose step runs now. */
export function inFlight(run: RunState): readonly RunningAgent[] {
  return run.agents.filter((agent): agent is RunningAgent => agent.activity.type === "running");
}
