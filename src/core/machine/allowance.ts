import { formatUsd, type MicroUsd } from "../money.ts";
import type { StateFile } from "../workflow/state-file.ts";
import type { RunState } from "./run-state.ts";

/** Why a step may not start. */
export interface Halt {
  readonly class: "step-limit" | "budget";
  readonly problem: string;
}

/** What a step may spend, or why it may not start. */
export type Allowance =
  | { readonly ok: true; readonly shareMicroUsd: MicroUsd | null }
  | { readonly ok: false; readonly halt: Halt };

/**
 * The limits that a state declares for itself. `max_visits` counts how often
 * the run has entered it, this time included. `budget` is what all its visits
 * together may cost: a step gets no more than what is left of it.
 */
export function allow(
  run: RunState,
  file: StateFile,
  path: string,
  shareMicroUsd: MicroUsd | null,
): Allowance {
  const visits = run.visits[file.name] ?? 0;
  if (file.maxVisits !== null && visits > file.maxVisits) {
    const problem = `${file.name} was entered ${String(file.maxVisits)} times, as often as its max_visits allows. A resume grants as many again.`;
    return { ok: false, halt: { class: "step-limit", problem } };
  }
  if (file.kind === "script" || file.budgetMicroUsd === null) return { ok: true, shareMicroUsd };
  const { costMicroUsd = 0, estimatedMicroUsd = 0 } = run.sums.states[file.name] ?? {};
  const left = file.budgetMicroUsd - costMicroUsd - estimatedMicroUsd;
  if (left <= 0) {
    const problem = `${file.name} has used up its budget of ${formatUsd(file.budgetMicroUsd)}: ${formatUsd(costMicroUsd + estimatedMicroUsd)} spent. To go on, raise it in ${path} and resume.`;
    return { ok: false, halt: { class: "budget", problem } };
  }
  return { ok: true, shareMicroUsd: shareMicroUsd === null ? left : Math.min(shareMicroUsd, left) };
}
