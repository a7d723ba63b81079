import { type ResumeNeeds, resumeNeeds } from "../../log/resume-needs.ts";
import type { RunId } from "../../machine/run-state.ts";
import type { ResumeOptions } from "../../run/resume.ts";
import { loadNamed, nameRun } from "../../wire/stores.ts";
import type { Actions } from "../api.ts";
import { serveErrors } from "./errors.ts";
import type { ServedFolder } from "./served-folder.ts";

/** The validated body of a resume. */
export interface ResumeInput {
  readonly addBudgetUsd: number | undefined;
  readonly settings: Pick<
    NonNullable<ResumeOptions["settings"]>,
    "maxSteps" | "wait" | "maxWaitMs"
  >;
}

/** Parses the body of a resume. Rejects with `serve/stops-again` if the run would stop again immediately. */
export async function parseResume(
  { root, caller }: Pick<ServedFolder, "root" | "caller">,
  id: RunId,
  { add_budget_usd: addBudgetUsd, max_steps: maxSteps, wait }: Actions["resume"],
): Promise<ResumeInput> {
  const named = await nameRun({ run: id, stateDir: root }, caller);
  const run = await loadNamed(named.store, named.id);
  const needs = resumeNeeds(run);
  const missing = missingOf(needs, {
    budget: addBudgetUsd !== undefined,
    steps: maxSteps !== undefined && maxSteps > run.steps,
    wait: wait === true,
  });
  if (missing !== null)
    throw serveErrors["serve/stops-again"](run.stopReason?.message ?? "", missing);
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

/** The equivalent flags of `raymond resume`. */
export function flagsOf({ addBudgetUsd, settings }: ResumeInput): readonly string[] {
  const { maxSteps, wait, maxWaitMs } = settings;
  return [
    ...(addBudgetUsd === undefined ? [] : ["--add-budget", String(addBudgetUsd)]),
    ...(maxSteps === undefined ? [] : ["--max-steps", String(maxSteps)]),
    ...(wait === undefined ? [] : [wait ? "--wait" : "--no-wait"]),
    ...(maxWaitMs === undefined ? [] : ["--max-wait", `${String(maxWaitMs / 60_000)}m`]),
  ];
}
