import { parseDuration } from "../duration.ts";
import type { Way } from "../protocol/transition.ts";
import { READY, waitFor } from "./activity.ts";
import type { Agent, AgentId } from "./agent.ts";
import type { RunState } from "./run-state.ts";

/** The agent at its new state, where it waits if its tag says so (docs/protocol.md, "Delays"). */
export function delayed<A extends Agent | null>(agent: A, way: Way, at: number): A | Agent {
  const ms = "delay" in way ? parseDuration(way.delay) : null;
  if (agent === null || ms === null) return agent;
  return { ...agent, activity: waitFor(ms, at, { kind: "delay" }) };
}

/** Whether an agent stands at its state only to wait for a time, by its workflow's will. */
export function isDelayed({ activity }: Pick<Agent, "activity">): boolean {
  return activity.type === "waiting" && activity.for.kind === "delay";
}

/** Ends the delay of one agent, or of all; what waits for anything else waits on. */
export function wake(run: RunState, id: AgentId | null): RunState {
  const wanted = (agent: Agent) => isDelayed(agent) && (id === null || agent.id === id);
  if (!run.agents.some(wanted)) return run;
  const agents = run.agents.map((agent) => (wanted(agent) ? { ...agent, activity: READY } : agent));
  return { ...run, agents };
}
