import { READY, runningOf } from "./activity.ts";
import type { Agent, AgentId } from "./agent.ts";
import { applyDecision } from "./apply-decision.ts";
import { keepBaselines } from "./baselines.ts";
import { countAttempt } from "./count-attempt.ts";
import type { Decision } from "./decision.ts";
import type { Advanced, Event } from "./event.ts";
import { stepName } from "./gate.ts";
import type { Charge } from "./ledger.ts";
import type { StepOutcome } from "./outcome.ts";
import { findAgent, replaceAgent } from "./roster.ts";
import type { RunState } from "./run-state.ts";
import type { SpendReport } from "./spend.ts";
import { budgetNear, stopOverBudget } from "./stop.ts";
import { wakeAfter } from "./wait.ts";

/** The end of a step, with all that is needed to count it and to apply its decision. */
export interface StepEnd {
  readonly agent: AgentId;
  readonly process: number;
  readonly outcome: StepOutcome;
  readonly decision: Decision;
  /** Epoch ms. */
  readonly at: number;
  /** In [0, 1): spreads the retries of several agents. */
  readonly dice: number;
}

/**
 * Counts what an attempt has cost, applies what was decided about it, and stops
 * the run when its budget is passed: after the move, so that nothing is paid
 * twice (docs/budgets.md, "The budget of the run").
 */
export function endStep(before: RunState, input: StepEnd): Advanced {
  const { outcome, decision, at, dice } = input;
  const flying = findAgent(before, input.agent);
  const running = runningOf(flying);
  if (running?.process !== input.process) {
    throw new Error(`agent ${flying.id} has no process ${String(input.process)} in flight`);
  }
  const [counted, charged] = countAttempt(before, flying, outcome.spend, outcome.durationMs);
  const agent: Agent = {
    ...findAgent(counted, flying.id),
    activity: READY,
    readySince: counted.totals.attempts,
    // The time of a prompt's step is its own: its gates have theirs.
    elapsedMs: flying.elapsedMs + (flying.gate === null ? outcome.durationMs : 0),
  };
  const told: Event = {
    type: "step.ended",
    agent: agent.id,
    state: stepName(agent),
    kind: running.kind,
    process: running.process,
    ok: outcome.kind !== "failure" && (outcome.kind === "output" || outcome.problem === null),
    failure: outcome.kind === "failure" ? outcome.class : null,
    durationMs: outcome.durationMs,
    costMicroUsd: charged.costMicroUsd,
    estimatedMicroUsd: charged.estimatedMicroUsd,
    totalMicroUsd: counted.totals.costMicroUsd + counted.totals.estimatedMicroUsd,
    tokens: outcome.spend.tokens,
    model: outcome.spend.model,
    version: outcome.spend.version,
    denials: outcome.kind === "output" ? outcome.denials : [],
    context: outcome.spend.context,
  };
  const [woken, waking] = wakeAfter(replaceAgent(counted, agent), running, outcome);
  const [decided, events] = applyDecision(woken, agent, outcome, decision, {
    at,
    dice,
    process: running.process,
    call: running.call,
  });
  const [checked, closing] = stopOverBudget(keepBaselines(decided));
  const near = budgetNear(before, checked);
  const [warned, misread] = warnOfMisread(checked, outcome.spend, charged);
  return [warned, [told, ...misread, ...near, ...waking, ...events, ...closing]];
}

/** Warns once for each version whose reported costs do not fit its tokens. */
function warnOfMisread(run: RunState, spend: SpendReport, charged: Charge): Advanced {
  const version = spend.version ?? "of an unknown version";
  if (!charged.misread || run.misread.includes(version)) return [run, []];
  const message = `The cost that client ${version} reports does not fit its tokens at list price: raymond does not understand the figures of this client.`;
  const hint =
    "Costs of such steps are counted by their tokens, as estimates. Use a version that raymond doctor accepts, or compare with the invoice.";
  const told: Event = { type: "run.warning", message, hint };
  return [{ ...run, misread: [...run.misread, version] }, [told]];
}
