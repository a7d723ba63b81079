import { checkGiven } from "../config/given.ts";
import { changedSettings, type Settings } from "../config/switches.ts";
import { type RunSettings, type RunState, spent } from "../core/machine/run-state.ts";
import type { MicroUsd } from "../core/money.ts";
import { nextBudget } from "../observers/resume-needs.ts";
import { UnknownRunError } from "../stores/errors.ts";
import { type Caller, thisProcess } from "./caller.ts";
import type { Driving } from "./driving.ts";
import { BudgetSpentError, NoBudgetError, RunCompletedError } from "./errors.ts";
import { goOn } from "./go-on.ts";
import { lockRun } from "./lock-run.ts";
import { takenOver } from "./taken-over.ts";
import { requireTrustedRun, type Trusting } from "./trust.ts";
import { withFolders } from "./wire/settings.ts";
import { nameRun, type Wanted } from "./wire/stores.ts";

/** A run that is to go on. */
export interface ResumeOptions extends Driving, Wanted, Trusting {
  /** What goes before the settings that the run has, and is kept. */
  readonly settings?: Partial<Settings> | undefined;
  /** So much more than its budget, micro-dollars. */
  readonly addBudgetMicroUsd?: MicroUsd | undefined;
  /** A holder that cannot be seen from here is taken for dead, and not refused. */
  readonly takeOver?: boolean | undefined;
  /** Whether a conversation that is gone fails its agent, as without this, or is forgotten. */
  readonly lostSession?: "fail" | "fresh" | undefined;
}

/**
 * Goes on with a run, in the folder that it was started in, and drives it to its end. Rejects with a
 * RaymondError where it cannot go on: it is complete, held by another process, or misses what it needs.
 */
export async function resume(
  options: ResumeOptions,
  caller: Caller = thisProcess(),
): Promise<RunState> {
  checkGiven(options.settings ?? {});
  const { id, store, program } = await nameRun(options, caller);
  const { takeOver } = options;
  const lock = await lockRun(store, id, { takeOver });
  try {
    const run = await store.load(id);
    if (run === undefined) throw new UnknownRunError(options.run);
    if (run.status === "completed") throw new RunCompletedError(id, run.results["main"] ?? null);
    const given = givenTo(run, options, caller);
    const artifacts = await store.artifacts(id);
    const notices = await requireTrustedRun(run, given, artifacts, options, caller);
    for (const notice of notices) options.warn?.(notice);
    const { takenFrom } = lock;
    const how = {
      ...{ store, program, given },
      lostSession: options.lostSession ?? "fail",
      first: takenFrom === null ? [] : [takenOver(id, takenFrom)],
    };
    return await goOn(run, how, options, caller);
  } finally {
    await lock.release();
  }
}

/** What goes before the settings that the run has. Throws a RaymondError for a budget that is used up already. */
export function givenTo(
  run: RunState,
  options: Pick<ResumeOptions, "settings" | "addBudgetMicroUsd">,
  { cwd }: Pick<Caller, "cwd">,
): Partial<RunSettings> {
  const changed = changedSettings(withFolders(options.settings ?? {}, cwd), run.settings);
  const given = { ...changed, ...raisedBudget(run, options) };
  refuseSpentBudget(run, given);
  return given;
}

/** What the run may spend in all, from now on. */
function raisedBudget(
  { id, settings }: RunState,
  { addBudgetMicroUsd: added }: Pick<ResumeOptions, "addBudgetMicroUsd">,
): Partial<RunSettings> {
  if (added === undefined) return {};
  if (settings.budgetMicroUsd === null) throw new NoBudgetError(id);
  return { budgetMicroUsd: settings.budgetMicroUsd + added };
}

/** A budget that is used up before it begins would be saved, and stop the run at once. */
function refuseSpentBudget(run: RunState, { budgetMicroUsd: given }: Partial<RunSettings>): void {
  const spentMicroUsd = spent(run);
  if (given === undefined || given === null || spentMicroUsd < given) return;
  const { budgetMicroUsd: old } = run.settings;
  const enough = old === null || old > spentMicroUsd ? null : nextBudget(old, spentMicroUsd);
  throw new BudgetSpentError(run.id, spentMicroUsd, given, enough);
}
