import { runningOf } from "../activity.ts";
import type { RunState } from "../run-state.ts";

/**
 * The run as it goes on where nothing is of what its steps in flight have sent, and of what they were
 * answered: whatever a client has taken elsewhere, each is done from its beginning.
 */
export function forgetAcceptedPrompts(run: RunState): RunState {
  return {
    ...run,
    agents: run.agents.map((agent) => {
      const running = runningOf(agent);
      if (running === null) return agent;
      return { ...agent, activity: { ...running, accepted: false, conversationBytes: null } };
    }),
  };
}
