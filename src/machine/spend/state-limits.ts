import { counted } from "../../language/basics/counted.ts";
import { formatUsd, type MicroUsd } from "../../language/basics/money.ts";
import { fullName, type WorkflowId } from "../../language/protocol/address.ts";
import type { StateFile } from "../../language/workflow/files/state-file.ts";
import { inFlight } from "../model/roster.ts";
import type { RunState } from "../model/run-state.ts";
import { isPriced, knownSpend } from "./known-spend.ts";

export interface Halt {
  readonly class: "step-limit" | "budget";
  readonly problem: string;
}

export type StateLimits =
  | { readonly ok: true; readonly capMicroUsd: MicroUsd | null }
  | { readonly ok: false; readonly halt: Halt };

/**
 * The cost limit of a started step, or why its state refuses it. The limit is the rest of the budget of
 * the run (docs/budgets.md, "How far a run can overshoot") and of the state, divided equally among
 * concurrent steps of the state. `max_visits` counts this visit too. `process`: the step to check; of
 * agents that enter together, the first ones are admitted.
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
    const problem = `${name} has reached its max_visits: ${counted(file.maxVisits, "visit")}. Resuming resets the count.`;
    return { ok: false, halt: { class: "step-limit", problem } };
  }
  if (file.kind === "script") return { ok: true, capMicroUsd: null };
  const cap = capOf(run, process);
  if (file.budgetMicroUsd === null) return { ok: true, capMicroUsd: cap };
  const { costMicroUsd = 0, estimatedMicroUsd = 0 } = run.sums.states[name] ?? {};
  const left = file.budgetMicroUsd - costMicroUsd - estimatedMicroUsd;
  if (left <= 0) {
    const problem = `${name} has used up its budget of ${formatUsd(file.budgetMicroUsd)}: ${formatUsd(costMicroUsd + estimatedMicroUsd)} spent. To continue, raise it in ${path} and resume.`;
    return { ok: false, halt: { class: "budget", problem } };
  }
  const part = Math.max(1, Math.floor(left / stepsIn(run, name)));
  return { ok: true, capMicroUsd: cap === null ? part : Math.min(cap, part) };
}

/** The rest of the budget, shared with steps whose spend is unknown until they end. Null without a budget. */
function capOf(run: RunState, process: number): MicroUsd | null {
  const { budgetMicroUsd } = run.settings;
  if (budgetMicroUsd === null) return null;
  const unseen = inFlight(run).filter(
    ({ activity }) => activity.process < process && !isPriced(run, activity),
  );
  return Math.max(1, Math.floor((budgetMicroUsd - knownSpend(run)) / (1 + unseen.length)));
}

/** Visits up to this process, without later steps that are not checked yet. */
function visitsOf(run: RunState, state: string, process: number): number {
  const later = inFlight(run).filter(
    (agent) => fullName(agent) === state && agent.starts === 1 && agent.activity.process > process,
  );
  return (run.visits[state] ?? 0) - later.length;
}

/** Steps in flight in this state, including the one to check. */
function stepsIn(run: RunState, state: string): number {
  return Math.max(1, inFlight(run).filter((agent) => fullName(agent) === state).length);
}
