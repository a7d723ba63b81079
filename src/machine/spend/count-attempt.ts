import { runningOf } from "../model/activity.ts";
import type { Agent } from "../model/agent.ts";
import { stepName } from "../model/gate.ts";
import { ownerOf } from "../model/owners.ts";
import { replaceAgent } from "../model/roster.ts";
import type { RunState } from "../model/run-state.ts";
import type { SpendReport } from "../model/spend.ts";
import { addAttempt, NO_TOTALS } from "../model/totals.ts";
import { updateContexts } from "./context.ts";
import { type Charge, charge, updatePrices } from "./ledger.ts";

/**
 * Adds an attempt, or a manual session (with the `id` of its conversation), to the totals of the run,
 * the agent, the state, the model and the coding agent. Costs that the client did not report are
 * estimated and kept separately (docs/budgets.md, "How money is counted").
 */
export function countAttempt(
  run: RunState,
  agent: Agent,
  spend: SpendReport,
  durationMs: number,
  id = runningOf(agent)?.kind === "prompt" ? agent.session.id : null,
): readonly [RunState, Charge] {
  const known = id === null ? undefined : run.baselines[id];
  const baseline = known ?? 0;
  // An existing conversation without a baseline has unknown earlier costs.
  const isOlder = known === undefined && agent.session.mode !== "fresh";
  const charged = charge(spend, baseline, run.prices, agent.starts > 1 || isOlder);
  const add = (sums = NO_TOTALS) => addAttempt(sums, charged, spend, durationMs);
  const { states, models, backends } = run.sums;
  const state = stepName(agent);
  const model = id === null ? null : (spend.model ?? "unknown");
  const owner = id === null ? null : ownerOf(run, id);
  const learnt = id !== null && charged.baselineMicroUsd !== baseline;
  const counted: RunState = {
    ...replaceAgent(run, { ...agent, sums: add(agent.sums) }),
    totals: add(run.totals),
    sums: {
      states: { ...states, [state]: add(states[state]) },
      models: model === null ? models : { ...models, [model]: add(models[model]) },
      backends: owner === null ? backends : { ...backends, [owner]: add(backends[owner]) },
    },
    baselines: learnt ? { ...run.baselines, [id]: charged.baselineMicroUsd } : run.baselines,
    contexts: updateContexts(run.contexts, id, spend.context),
    prices: updatePrices(run.prices, spend, charged),
  };
  return [counted, charged];
}
