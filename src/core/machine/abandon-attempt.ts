import type { Agent, SessionId } from "./agent.ts";
import type { RunState } from "./run-state.ts";

/** The agent after an attempt that was broken off: it goes on where the client has taken the prompt. */
export function abandonAttempt(agent: Agent, accepted: SessionId | null): Agent {
  const { session } = agent;
  if (accepted !== null) {
    return { ...agent, session: { mode: "resume", id: accepted }, delivery: "interrupted" };
  }
  // An id that was handed to a client may count as used, though nothing was said: take a new one.
  return session.mode === "resume" ? agent : { ...agent, session: { ...session, id: null } };
}

/** The number of a call that nobody heard is used again, as far as no later one was taken since; `state` is its full name. */
export function giveBack(run: RunState, state: string, call: number | null): RunState {
  if (call === null || run.calls[state] !== call + 1) return run;
  return { ...run, calls: { ...run.calls, [state]: call } };
}
