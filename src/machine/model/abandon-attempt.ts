import type { Agent, SessionId } from "./agent.ts";
import type { RunState } from "./run-state.ts";

/** The agent after an interrupted attempt. `accepted`: the session to continue, if the prompt was accepted. */
export function abandonAttempt(agent: Agent, accepted: SessionId | null): Agent {
  const { session } = agent;
  if (accepted !== null) {
    return { ...agent, session: { mode: "resume", id: accepted }, delivery: "interrupted" };
  }
  // The client may consider the id used: create a new one.
  return session.mode === "resume" ? agent : { ...agent, session: { ...session, id: null } };
}

/** Reuses the number of a call that was not answered, unless a later call exists. `state`: full name. */
export function releaseCall(run: RunState, state: string, call: number | null): RunState {
  if (call === null || run.calls[state] !== call + 1) return run;
  return { ...run, calls: { ...run.calls, [state]: call } };
}
