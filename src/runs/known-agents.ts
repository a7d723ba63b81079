import type { AgentId } from "../core/machine/agent.ts";
import type { RunState } from "../core/machine/run-state.ts";
import { UnknownAgentError } from "./history-errors.ts";
import { readLog } from "./inspect.ts";

/** Throws an {@link UnknownAgentError} for an agent that the run has never had. Only for such a one its event log is read. */
export function requireAgent(run: RunState, agent: AgentId | undefined, events: string): void {
  const { agents, results, forkCounters } = run;
  const kept = [...agents.map(({ id }) => id), ...Object.keys(results)];
  const known = new Set([...kept, ...Object.keys(forkCounters)]);
  if (agent === undefined || known.has(agent)) return;
  const logged = readLog(events)?.agents.keys() ?? [];
  const all = new Set([...known, ...logged]);
  if (!all.has(agent)) throw new UnknownAgentError(run.id, agent, [...all]);
}
