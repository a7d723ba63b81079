import type { Agent, Session, SessionId } from "./agent.ts";
import type { RunState } from "./run-state.ts";

/** Baselines that nobody can use any more are dropped, or the state file would grow with every reset. */
export function keepBaselines(run: RunState): RunState {
  const known = Object.keys(run.baselines);
  // Only now and then: looking through all agents at each step costs more than a few stale lines.
  if (known.length <= 2 * run.agents.length + 8) return run;
  const used = new Set(run.agents.flatMap(sessionsOf));
  const kept = Object.entries(run.baselines).filter(([id]) => used.has(id));
  return { ...run, baselines: Object.fromEntries(kept) };
}

/** Every conversation that an agent may still come back to. */
export function sessionsOf(agent: Agent): readonly SessionId[] {
  const sessions = [agent.session, agent.entered, ...agent.stack.map((frame) => frame.session)];
  return sessions.flatMap(idsOf);
}

function idsOf(session: Session): readonly SessionId[] {
  const own = session.id === null ? [] : [session.id];
  return session.mode === "branch" ? [session.source, ...own] : own;
}
