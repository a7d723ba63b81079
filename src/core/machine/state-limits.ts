import { counted } from "../counted.ts";
import { formatUsd, type MicroUsd } from "../money.ts";
import { fullName, type WorkflowId } from "../protocol/address.ts";
import type { StateFile } from "../workflow/state-file.ts";
import { isPriced, knownSpend } from "./known-spend.ts";
import { inFlight } from "./roster.ts";
import type { RunState } from "./run-state.ts";

/** Why a step may not start. */
export interface Halt {
  readonly class: "step-limit" | "budget";
  readonly problem: string;
}

/** What a step may spend, or why it may not start. */
export type StateLimits =
  | { readonly ok: true; readonly capMicroUsd: MicroUsd | null }
  | { readonly ok: false; readonly halt: Halt };

/**
 * What a step that was started may spend, or why its state refuses it. The cap
 * is all that is left of the run's budget (docs/budgets.md, "How far a run can
 * overshoot"). `max_visits` counts how often the run has entered the state,
 * this time included. `budget` in the state is what all its visits together may
 * cost: a step gets no more than what is left of it, and steps that are in this
 * state side by side get equal parts. `process` is the one that asks: of agents
 * that enter together, the first ones get in.
 */
export function stateLimits(
  run: RunState,
  file: StateFile,
  path: string,
  process: number = run.processes,
  workflow: WorkflowId | null = null,
): StateLimits {
  const name = fullName({ workflow, state: file.name });
  if (file.maxVisits !== null && visitsOf(run, name, process) > file.maxVisits) {
    const problem = `${name} was entered ${counted(file.maxVisits, "time")}, as often as its max_visits allows. A resume grants as many again.`;
    return { ok: false, halt: { class: "step-limit", problem } };
  }
  if (file.kind === "script") return { ok: true, capMicroUsd: null };
  const cap = capOf(run, process);
  if (file.budgetMicroUsd === null) return { ok: true, capMicroUsd: cap };
  const { costMicroUsd = 0, estimatedMicroUsd = 0 } = run.sums.states[name] ?? {};
  const left = file.budgetMicroUsd - costMicroUsd - estimatedMicroUsd;
  if (left <= 0) {
    const problem = `${name} has used up its budget of ${formatUsd(file.budgetMicroUsd)}: ${formatUsd(costMicroUsd + estimatedMicroUsd)} spent. To go on, raise it in ${path} and resume.`;
    return { ok: false, halt: { class: "budget", problem } };
  }
  const part = Math.max(1, Math.floor(left / stepsIn(run, name)));
  return { ok: true, capMicroUsd: cap === null ? part : Math.min(cap, part) };
}

/**
 * All that is left, or an equal part of it beside steps that cannot be priced:
 * nobody sees what those spend until they end. Null without a budget.
 */
function capOf(run: RunState, process: number): MicroUsd | null {
  const { budgetMicroUsd } = run.settings;
  if (budgetMicroUsd === null) return null;
  const unseen = inFlight(run).filter(
    ({ activity }) => activity.process < process && !isPriced(run, activity),
  );
  return Math.max(1, Math.floor((budgetMicroUsd - knownSpend(run)) / (1 + unseen.length)));
}

/** How often the run has entered this state up to this process: without the agents that did so later, and are not judged yet. */
function visitsOf(run: RunState, state: string, process: number): number {
  const later = inFlight(run).filter(
    (agent) => fullName(agent) === state && agent.starts === 1 && agent.activity.process > process,
  );
  return (run.visits[state] ?? 0) - later.length;
}

/** Steps in flight in this state, with the one that asks. */
function stepsIn(run: RunState, state: string): number {
  return Math.max(1, inFlight(run).filter((agent) => fullName(agent) === state).length);
}
