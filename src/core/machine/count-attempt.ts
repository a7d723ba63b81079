import { runningOf } from "./activity.ts";
import type { Agent } from "./agent.ts";
import { learnContext } from "./context.ts";
import { stepName } from "./gate.ts";
import { type Charge, charge, learnPrices } from "./ledger.ts";
import { replaceAgent } from "./roster.ts";
import type { RunState } from "./run-state.ts";
import type { SpendReport } from "./spend.ts";
import { addAttempt, NO_SUMS } from "./sums.ts";

/**
 * Counts one attempt of an agent's step in flight, or (with the `id` of the
 * conversation) what a person has spent there: for the run, the agent, the
 * state and the model. What the client has not reported in dollars is priced,
 * and kept apart as an estimate (docs/budgets.md, "How money is counted").
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
  // Of an older conversation without a baseline, nobody has seen an earlier total.
  const isOlder = known === undefined && agent.session.mode !== "fresh";
  const charged = charge(spend, baseline, run.prices, agent.starts > 1 || isOlder);
  const add = (sums = NO_SUMS) => addAttempt(sums, charged, spend, durationMs);
  const { states, models } = run.sums;
  const state = stepName(agent);
  const model = id === null ? null : (spend.model ?? "unknown");
  const learnt = id !== null && charged.baselineMicroUsd !== baseline;
  const counted: RunState = {
    ...replaceAgent(run, { ...agent, sums: add(agent.sums) }),
    totals: add(run.totals),
    sums: {
      states: { ...states, [state]: add(states[state]) },
      models: model === null ? models : { ...models, [model]: add(models[model]) },
    },
    baselines: learnt ? { ...run.baselines, [id]: charged.baselineMicroUsd } : run.baselines,
    contexts: learnContext(run.contexts, id, spend.context),
    prices: learnPrices(run.prices, spend, charged),
  };
  return [counted, charged];
}
