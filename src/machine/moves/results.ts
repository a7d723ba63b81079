import type { AgentId } from "../model/agent.ts";
import type { RunState } from "../model/run-state.ts";

/** Results kept in the state file in addition to that of `main` (docs/state-file.md, "Run"). */
const MAX_RESULTS = 1_000;

/** Removes an ended agent and stores its result. Keeps the fork counter of `main`: it shows whether the run ever forked. */
export function recordResult(run: RunState, ended: AgentId, payload: string): RunState {
  const agents = run.agents.filter((other) => other.id !== ended);
  const forked = ended !== "main" && ended in run.forkCounters;
  const forkCounters = forked ? without(run.forkCounters, [ended]) : run.forkCounters;
  return { ...run, agents, forkCounters, results: added(run.results, ended, payload) };
}

/** Adds a result and drops the oldest. Copied key by key: spreading so many keys is 20 times slower in V8. */
function added(
  results: RunState["results"],
  ended: AgentId,
  payload: string,
): Readonly<Record<AgentId, string>> {
  const ids = Object.keys(results).filter((id) => id !== ended);
  let over = ids.length + 1 - MAX_RESULTS - ("main" in results || ended === "main" ? 1 : 0);
  const kept: Record<AgentId, string> = {};
  for (const id of ids) {
    if (over > 0 && id !== "main") over -= 1;
    else kept[id] = results[id] ?? "";
  }
  kept[ended] = payload;
  return kept;
}

function without<T>(
  record: Readonly<Record<string, T>>,
  keys: readonly string[],
): Readonly<Record<string, T>> {
  if (keys.length === 0) return record;
  const dropped = new Set(keys);
  return Object.fromEntries(Object.entries(record).filter(([key]) => !dropped.has(key)));
}
