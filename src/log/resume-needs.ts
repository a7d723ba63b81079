import { toUsd } from "../language/basics/money.ts";
import { firstWait } from "../machine/backends/backend-waits.ts";
import { type RunState, spent } from "../machine/model/run-state.ts";
import { stepLimitReason } from "../machine/moves/stop.ts";

/** What a stopped run needs before a resume can make progress: without it, it stops again at once. */
export interface ResumeNeeds {
  /** To wait for the usage limit or the outage that stopped it. */
  readonly wait: boolean;
  /** `--max-wait` that is long enough for its usage limit, minutes; null where the old one is. */
  readonly maxWaitMinutes: number | null;
  /** A higher budget, dollars as a text for `--budget`. */
  readonly budget: string | null;
  /** A higher `--max-steps`. */
  readonly maxSteps: number | null;
  /** The state whose own `budget` is used up: its file must be changed first. */
  readonly state: string | null;
}

export const NO_NEEDS: ResumeNeeds = {
  ...{ wait: false, maxWaitMinutes: null, budget: null, maxSteps: null, state: null },
};

export function resumeNeeds(run: RunState): ResumeNeeds {
  if (run.status === "completed") return NO_NEEDS;
  const { budgetMicroUsd, maxSteps, wait } = run.settings;
  const reason = run.stopReason;
  const stop = run.status === "paused" ? reason?.class : null;
  const ownBudget = reason?.class === "budget" ? reason.state : null;
  const overBudget = run.status === "budget_exceeded" && ownBudget === null;
  return {
    wait: !wait && (stop === "limit" || stop === "outage"),
    maxWaitMinutes: stop === "limit" ? longerWait(run) : null,
    budget:
      budgetMicroUsd !== null && (overBudget || spent(run) > budgetMicroUsd)
        ? nextBudget(budgetMicroUsd, spent(run))
        : null,
    maxSteps:
      maxSteps !== null && stepLimitReason(run) !== null
        ? Math.max(run.steps, maxSteps) + maxSteps
        : null,
    state: ownBudget,
  };
}

/** The flags of `raymond resume` that satisfy these needs; begins with a space unless empty. */
export function resumeFlags({ wait, maxWaitMinutes, budget, maxSteps }: ResumeNeeds): string {
  return [
    ...(wait ? [" --wait"] : []),
    ...(maxWaitMinutes === null ? [] : [` --max-wait ${String(maxWaitMinutes)}m`]),
    ...(budget === null ? [] : [` --budget ${budget}`]),
    ...(maxSteps === null ? [] : [` --max-steps ${String(maxSteps)}`]),
  ].join("");
}

function longerWait(run: RunState): number | null {
  const { maxWaitMs } = run.settings;
  const first = firstWait(run);
  if (first === null || maxWaitMs === 0) return null;
  const ms = first.wait.until - first.wait.since;
  return ms <= maxWaitMs ? null : Math.ceil(ms / 60_000);
}

/**
 * A budget that a resume can use: the next multiple of the old one that leaves at least half of it to spend. Dollars
 * as a text for `--budget`.
 */
export function nextBudget(budgetMicroUsd: number, spentMicroUsd: number): string {
  const times = Math.max(2, Math.ceil(spentMicroUsd / budgetMicroUsd + 0.5));
  return toUsd(times * budgetMicroUsd)
    .toFixed(6)
    .replace(/\.?0+$/, "");
}
