import type { Agent } from "./agent.ts";
import { addAttempt, type Charge, charge, NO_BASELINE, NO_SUMS } from "./ledger.ts";
import type { RunState } from "./run-state.ts";
import type { SpendReport } from "./spend.ts";

/**
 * Counts one attempt of an agent's step in flight: for the run, the agent, the
 * state and the model. Without a total from the client its tokens are priced,
 * and kept apart as an estimate (contract point 5).
 */
export function countAttempt(
  run: RunState,
  agent: Agent,
  spend: SpendReport,
  durationMs: number,
): readonly [RunState, Charge] {
  const id = agent.inFlight?.kind === "prompt" ? agent.session.id : null;
  const baseline = (id === null ? undefined : run.baselines[id]) ?? NO_BASELINE;
  const charged = charge(spend, baseline);
  const add = (sums = NO_SUMS) => addAttempt(sums, charged, spend, durationMs);
  const { agents, states, models } = run.sums;
  const model = id === null ? null : (spend.model ?? "unknown");
  const learnt = charged.baseline !== baseline && id !== null;
  const counted: RunState = {
    ...run,
    totals: add(run.totals),
    sums: {
      agents: { ...agents, [agent.id]: add(agents[agent.id]) },
      states: { ...states, [agent.state]: add(states[agent.state]) },
      models: model === null ? models : { ...models, [model]: add(models[model]) },
    },
    baselines: learnt ? { ...run.baselines, [id]: charged.baseline } : run.baselines,
  };
  return [counted, charged];
}
