import type { AgentId } from "./agent.ts";
import type { RunState } from "./run-state.ts";

/**
 * Results of ended agents that the state file keeps, `main`'s beside them
 * (docs/state-file.md, "The run").
 */
const MAX_RESULTS = 1_000;

/**
 * The run without an agent that has ended, and with its result. The counter of
 * `main` stays: it says whether the run ever had another agent.
 */
export function keepResult(run: RunState, ended: AgentId, payload: string): RunState {
  const agents = run.agents.filter((other) => other.id !== ended);
  const forked = ended !== "main" && ended in run.forkCounters;
  const forkCounters = forked ? without(run.forkCounters, [ended]) : run.forkCounters;
  return { ...run, agents, forkCounters, results: added(run.results, ended, payload) };
}

/**
 * The results with one more, and without the oldest that are too many. Key by
 * key: each worker of a run ends once, and a spread of so many keys with one
 * that is new makes V8 describe the object anew, which takes twenty times as long.
 */
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
