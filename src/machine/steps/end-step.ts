import { fullName } from "../../language/protocol/address.ts";
import { withAsked } from "../decide/asked-item.ts";
import type { Decision } from "../decide/decision.ts";
import { releaseCall } from "../model/abandon-attempt.ts";
import { READY, runningOf } from "../model/activity.ts";
import type { Agent, AgentId } from "../model/agent.ts";
import { countDenials, type Denial, NO_RULING } from "../model/denial.ts";
import type { Event, RunUpdate } from "../model/event.ts";
import { stepName } from "../model/gate.ts";
import type { StepOutcome } from "../model/outcome.ts";
import { withOwner } from "../model/owners.ts";
import { findAgent, replaceAgent } from "../model/roster.ts";
import type { RunState } from "../model/run-state.ts";
import type { SpendReport } from "../model/spend.ts";
import type { StepChanges } from "../model/step-changes.ts";
import { totalCost } from "../model/totals.ts";
import { budgetWarning, stopOverBudget } from "../moves/stop.ts";
import { pruneBaselines } from "../spend/baselines.ts";
import { countAttempt } from "../spend/count-attempt.ts";
import type { Charge } from "../spend/ledger.ts";
import { endWaitAfter } from "../waits/wait.ts";
import { applyDecision } from "./apply-decision.ts";

export interface StepEnd {
  readonly agent: AgentId;
  readonly process: number;
  readonly outcome: StepOutcome;
  readonly decision: Decision;
  /** Whether the state of denied calls has permissions of its own. */
  readonly narrowed?: boolean;
  /** Items that this state asks for, and that the user does not allow; absent: none. */
  readonly asked?: readonly string[];
  /** What the attempt changed in its working tree; absent: unknown. */
  readonly changes?: StepChanges;
  /** Epoch ms. */
  readonly at: number;
  /** In [0, 1): jitter of retries. */
  readonly dice: number;
}

/**
 * Charges an attempt, applies its decision, and then stops the run if the budget is exceeded: after
 * the move, so that nothing is paid twice (docs/budgets.md, "The budget of the run").
 */
export function endStep(before: RunState, input: StepEnd): RunUpdate {
  const { outcome, decision, at, dice } = input;
  const flying = findAgent(before, input.agent);
  const running = runningOf(flying);
  if (running?.process !== input.process) {
    throw new Error(`agent ${flying.id} has no process ${String(input.process)} in flight`);
  }
  const denied = "denials" in outcome ? (outcome.denials ?? []) : [];
  const denials = denied.map((call) => withAsked(call, input.asked ?? []));
  const [paid, charged] = countAttempt(before, flying, outcome.spend, outcome.durationMs);
  const narrowed = input.narrowed === true;
  const counted = withDenials(paid, stepName(flying), denials, narrowed);
  const agent: Agent = {
    ...afterAttempt(findAgent(counted, flying.id), outcome),
    activity: READY,
    readySince: counted.totals.attempts,
    // Gates have their own timeout.
    elapsedMs: flying.elapsedMs + (flying.gate === null ? outcome.durationMs : 0),
  };
  const event: Event = {
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
    totalMicroUsd: totalCost(counted.totals),
    tokens: outcome.spend.tokens,
    model: outcome.spend.model,
    version: outcome.spend.version,
    denials: denials.map(({ tool, input }) => ({ tool, input })),
    context: outcome.spend.context,
    ...(input.changes !== undefined && { changes: input.changes }),
  };
  const backend = running.backend ?? before.backend;
  // The client may continue in another conversation than it was given.
  const owned = withOwner(replaceAgent(counted, agent), outcome.session, backend);
  const [woken, waking] = endWaitAfter(owned, running, outcome);
  const context = { at, dice, process: running.process, call: running.call, backend };
  const [decided, events] =
    agent.setResult === null
      ? applyDecision(woken, agent, outcome, decision, context)
      : [discardOutcome(woken, agent, outcome, running.call), []];
  const [checked, closing] = stopOverBudget(pruneBaselines(decided));
  const near = budgetWarning(before, checked);
  const [warned, misread] = warnOfMisread(checked, outcome.spend, charged);
  return [warned, [event, ...misread, ...near, ...waking, ...events, ...closing]];
}

/** A person has set the result of the step: its outcome only counts toward the cost. */
function discardOutcome(
  run: RunState,
  agent: Agent,
  { kind }: StepOutcome,
  call: number | null,
): RunState {
  return kind === "failure" ? releaseCall(run, fullName(agent), call) : run;
}

/** A run without denied tool calls has no counts. */
function withDenials(
  run: RunState,
  state: string,
  denials: readonly Denial[],
  narrowed: boolean,
): RunState {
  if (denials.length === 0) return run;
  return { ...run, denied: countDenials(run.denied ?? [], state, denials, narrowed) };
}

/** Calls that were allowed once are allowed until the next reply. */
function afterAttempt(agent: Agent, { kind }: StepOutcome): Agent {
  const { ruling } = agent;
  if (ruling === undefined || ruling.once.length === 0 || kind !== "output") return agent;
  return { ...agent, ruling: { ...ruling, once: NO_RULING.once } };
}

/** Warns once per version of a client with implausible costs. */
function warnOfMisread(run: RunState, spend: SpendReport, charged: Charge): RunUpdate {
  const version = spend.version ?? "of an unknown version";
  if (!charged.misread || run.misread.includes(version)) return [run, []];
  const message = `The cost reported by client ${version} does not match its tokens at list price.`;
  const hint =
    "Costs of such steps are estimated from their tokens. Use a version that raymond doctor accepts, or compare with the invoice.";
  return [{ ...run, misread: [...run.misread, version] }, [{ type: "run.warning", message, hint }]];
}
