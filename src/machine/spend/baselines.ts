import type { Agent, Session, SessionId } from "../agent.ts";
import type { RunState } from "../run-state.ts";

/** Baselines and contexts that nobody can use any more are dropped, or the state file would grow with every reset. */
export function pruneBaselines(run: RunState): RunState {
  const { baselines, contexts } = run;
  const known = Math.max(Object.keys(baselines).length, Object.keys(contexts).length);
  // Only now and then: looking through all agents at each step costs more than a few stale lines.
  if (known <= 2 * run.agents.length + 8) return run;
  const used = new Set(run.agents.flatMap(sessionsOf));
  const keep = <T>(of: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(of).filter(([id]) => used.has(id)));
  return { ...run, baselines: keep(baselines), contexts: keep(contexts) };
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
