import { checkSettings } from "../config/check-settings.ts";
import { changedSettings, type Settings } from "../config/switches.ts";
import type { MicroUsd } from "../language/basics/money.ts";
import { nextBudget } from "../log/resume-needs.ts";
import { type RunSettings, type RunState, spent } from "../machine/model/run-state.ts";
import { requireAgents } from "../wire/backends.ts";
import type { Caller } from "../wire/caller.ts";
import type { RunSource } from "../wire/run-source.ts";
import { withFolders } from "../wire/settings.ts";
import { loadNamed, nameRun, type Wanted } from "../wire/stores.ts";
import type { Driving } from "./driving.ts";
import { runErrors } from "./errors.ts";
import { lockRun, refuseCopy, takeOverEvent } from "./record-input.ts";
import { resumeClaimed } from "./resume-claimed.ts";
import { projectTrust, requireTrustedRun, type Trusting } from "./trust.ts";

export interface ResumeOptions extends Driving, Wanted, Trusting {
  /** Replace settings of the run, permanently. */
  readonly settings?: Partial<Settings> | undefined;
  /** Micro-dollars to add to its budget. */
  readonly addBudgetMicroUsd?: MicroUsd | undefined;
  /** Presume a holder dead that is not visible from here, instead of refusing. */
  readonly takeOver?: boolean | undefined;
  /** A lost conversation fails its agent (default), or the agent starts a new one. */
  readonly lostSession?: "fail" | "fresh" | undefined;
}

/**
 * Resumes a run in its launch folder, and drives it to its end. Rejects with a RaymondError if it
 * is complete, locked by another process, or lacks something that it needs.
 */
export async function resume(options: ResumeOptions, caller: Caller): Promise<RunState> {
  checkSettings(options.settings ?? {});
  const { id, store, program } = await nameRun(options, caller);
  const { takeOver, lostSession = "fail" } = options;
  const lock = await lockRun(store, id, { takeOver });
  try {
    const run = await loadNamed(store, id);
    refuseCopy(run, store, program);
    if (run.status === "completed") {
      throw runErrors["run/completed"](id, run.results["main"] ?? null);
    }
    const given = givenTo(run, options, caller);
    const artifacts = await store.artifacts(id);
    const notices = await requireTrustedRun({ run, store, artifacts }, given, options, caller);
    const warnings = [...movedNotice(run, store), ...notices];
    const { previousHolder } = lock;
    const first =
      previousHolder === null ? [] : [takeOverEvent(id, previousHolder, caller.actor())];
    const { trust } = projectTrust(run.launchDir, options);
    const how = { store, program, given, lostSession, first, trust, warnings };
    return await resumeClaimed(run, how, options, caller);
  } finally {
    await lock.release();
  }
}

function movedNotice(
  { id, launchDir, scopeDir }: RunState,
  store: Pick<RunSource, "place">,
): readonly string[] {
  const place = store.place?.(id);
  if (place?.kind !== "moved") return [];
  return [
    `Run ${id} was moved from ${place.from}. It continues in ${launchDir} with the workflow in ${scopeDir}.`,
  ];
}

/** The settings that change. Throws a RaymondError for a budget that is already used up. */
export function givenTo(
  run: RunState,
  { settings = {}, addBudgetMicroUsd }: Pick<ResumeOptions, "settings" | "addBudgetMicroUsd">,
  { cwd }: Pick<Caller, "cwd">,
): Partial<RunSettings> {
  const given = changedSettings(withFolders(settings, cwd), run.settings);
  requireAgents(given);
  const { budgetMicroUsd: old } = run.settings;
  if (addBudgetMicroUsd === undefined) return withBudget(given, run);
  if (old === null) throw runErrors["cli/flag-conflict"](run.id);
  return withBudget({ ...given, budgetMicroUsd: old + addBudgetMicroUsd }, run);
}

/** A budget that is already used up would be saved, and stop the run at once. */
function withBudget(given: Partial<RunSettings>, run: RunState): Partial<RunSettings> {
  const { budgetMicroUsd: budget } = given;
  const spentMicroUsd = spent(run);
  if (budget === undefined || budget === null || spentMicroUsd < budget) return given;
  const { budgetMicroUsd: old } = run.settings;
  const enough = old === null || old > spentMicroUsd ? null : nextBudget(old, spentMicroUsd);
  throw runErrors["run/budget-spent"](run.id, spentMicroUsd, budget, enough);
}
