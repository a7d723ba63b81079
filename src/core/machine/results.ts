import type { AgentId } from "./agent.ts";
import type { RunState } from "./run-state.ts";

/**
 * Results of ended agents that the state file keeps, `main`'s beside them
 * (docs/state-file.md, "The run").
 */
const MAX_RESULTS = 1_000;

/** The run without an agent that has ended, and with its result. */
export function keepResult(run: RunState, ended: AgentId, payload: string): RunState {
  const agents = run.agents.filter((other) => other.id !== ended);
  const results = { ...run.results, [ended]: payload };
  const oldest = Object.keys(results).filter((id) => id !== "main");
  const dropped = oldest.slice(0, Math.max(0, oldest.length - MAX_RESULTS));
  return {
    ...run,
    agents,
    forkCounters: without(run.forkCounters, [ended]),
    results: without(results, dropped),
    sums: { ...run.sums, agents: without(run.sums.agents, dropped) },
  };
}

function without<T>(
  record: Readonly<Record<string, T>>,
  keys: readonly string[],
): Readonly<Record<string, T>> {
  if (keys.length === 0) return record;
  const dropped = new Set(keys);
  return Object.fromEntries(Object.entries(record).filter(([key]) => !dropped.has(key)));
}
