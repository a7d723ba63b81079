import type { RunId } from "../core/machine/run-state.ts";
import { type ResumeNeeds, resumeNeeds } from "../observers/resume-needs.ts";
import { loadNamed } from "../runs/load-named.ts";
import type { ResumeOptions } from "../runs/resume.ts";
import { nameRun } from "../runs/wire/stores.ts";
import type { Actions } from "./api.ts";
import { StopsAgainError } from "./errors.ts";
import type { ServedFolder } from "./served-folder.ts";

/** What a run is resumed with. */
export interface GivenOnResume {
  readonly addBudgetUsd: number | undefined;
  readonly settings: Pick<
    NonNullable<ResumeOptions["settings"]>,
    "maxSteps" | "wait" | "maxWaitMs"
  >;
}

/** Reads what a resume was given. Rejects with a {@link StopsAgainError} where the run would stop again at once. */
export async function givenOnResume(
  { root, caller }: Pick<ServedFolder, "root" | "caller">,
  id: RunId,
  { add_budget_usd: addBudgetUsd, max_steps: maxSteps, wait }: Actions["resume"],
): Promise<GivenOnResume> {
  const named = await nameRun({ run: id, stateDir: root }, caller);
  const run = await loadNamed(named.store, named.id);
  const needs = resumeNeeds(run);
  const missing = missingOf(needs, {
    budget: addBudgetUsd !== undefined,
    steps: maxSteps !== undefined && maxSteps > run.steps,
    wait: wait === true,
  });
  if (missing !== null) throw new StopsAgainError(run.stopReason?.message ?? "", missing);
  const { maxWaitMinutes } = needs;
  return {
    addBudgetUsd,
    settings: {
      ...(maxSteps === undefined ? {} : { maxSteps }),
      ...(wait === undefined ? {} : { wait }),
      ...(wait === true && maxWaitMinutes !== null ? { maxWaitMs: maxWaitMinutes * 60_000 } : {}),
    },
  };
}

function missingOf(
  needs: ResumeNeeds,
  has: { readonly budget: boolean; readonly steps: boolean; readonly wait: boolean },
): string | null {
  if (needs.budget !== null && !has.budget) return "add_budget_usd";
  if (needs.maxSteps !== null && !has.steps) return `max_steps, such as ${String(needs.maxSteps)}`;
  const waits = needs.wait || needs.maxWaitMinutes !== null;
  return waits && !has.wait ? "wait: true" : null;
}

/** The same as flags of `raymond resume`. */
export function flagsOf({ addBudgetUsd, settings }: GivenOnResume): readonly string[] {
  const { maxSteps, wait, maxWaitMs } = settings;
  return [
    ...(addBudgetUsd === undefined ? [] : ["--add-budget", String(addBudgetUsd)]),
    ...(maxSteps === undefined ? [] : ["--max-steps", String(maxSteps)]),
    ...(wait === undefined ? [] : [wait ? "--wait" : "--no-wait"]),
    ...(maxWaitMs === undefined ? [] : ["--max-wait", `${String(maxWaitMs / 60_000)}m`]),
  ];
}
