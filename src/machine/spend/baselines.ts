import type { Agent, Session, SessionId } from "../model/agent.ts";
import type { RunState } from "../model/run-state.ts";

/** Drops baselines, contexts and owners of unused conversations, so that the state file does not grow with every reset. */
export function pruneBaselines(run: RunState): RunState {
  const { baselines, contexts, owners } = run;
  const known = Math.max(...[baselines, contexts, owners].map((of) => Object.keys(of).length));
  // Not at each step: a scan of all agents costs more than a few stale entries.
  if (known <= 2 * run.agents.length + 8) return run;
  const used = new Set(run.agents.flatMap(sessionsOf));
  const keep = <T>(of: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(of).filter(([id]) => used.has(id)));
  return {
    ...run,
    baselines: keep(baselines),
    contexts: keep(contexts),
    owners: keep(owners),
  };
}

/** The conversations that an agent may still continue. */
export function sessionsOf(agent: Agent): readonly SessionId[] {
  const sessions = [agent.session, agent.entered, ...agent.stack.map((frame) => frame.session)];
  return sessions.flatMap(idsOf);
}

function idsOf(session: Session): readonly SessionId[] {
  const own = session.id === null ? [] : [session.id];
  return session.mode === "branch" ? [session.source, ...own] : own;
}
