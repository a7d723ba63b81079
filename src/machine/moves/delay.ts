import { parseDuration } from "../../language/basics/duration.ts";
import type { Continuation } from "../../language/protocol/transition.ts";
import { READY, waitFor } from "../model/activity.ts";
import type { Agent, AgentId } from "../model/agent.ts";
import type { RunState } from "../model/run-state.ts";

/** The agent in its new state, with the delay of its tag (docs/protocol.md, "Delays"). */
export function delayed(agent: Agent, way: Continuation, at: number): Agent {
  const ms = "delay" in way ? parseDuration(way.delay) : null;
  return ms === null ? agent : { ...agent, activity: waitFor(ms, at, { kind: "delay" }) };
}

export function isDelayed({ activity }: Pick<Agent, "activity">): boolean {
  return activity.type === "waiting" && activity.for.kind === "delay";
}

/** Ends the delay of one agent, or of all (null). */
export function wake(run: RunState, id: AgentId | null): RunState {
  const matches = (agent: Agent) => isDelayed(agent) && (id === null || agent.id === id);
  if (!run.agents.some(matches)) return run;
  const agents = run.agents.map((agent) =>
    matches(agent) ? { ...agent, activity: READY } : agent,
  );
  return { ...run, agents };
}
