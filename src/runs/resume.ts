import { checkGiven } from "../config/given.ts";
import { changedSettings, type Settings } from "../config/switches.ts";
import { type RunSettings, type RunState, spent } from "../core/machine/run-state.ts";
import type { MicroUsd } from "../core/money.ts";
import { stateKind } from "../core/workflow/state-file.ts";
import { resumeRun } from "../engine/resume.ts";
import { nextBudget } from "../observers/summary.ts";
import { isSimulated } from "../ports/backend.ts";
import { UnknownRunError } from "../stores/errors.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { drive } from "./drive.ts";
import type { Driving } from "./driving.ts";
import {
  BudgetSpentError,
  LaunchDirGoneError,
  NoBudgetError,
  RunCompletedError,
  ScopeGoneError,
} from "./errors.ts";
import { takenOver } from "./taken-over.ts";
import { checkBackend, requireBackend } from "./wire/backends.ts";
import { withFolders } from "./wire/settings.ts";
import { nameRun, type Wanted } from "./wire/stores.ts";
import { isFolder } from "./wire/system.ts";
import { havePrompt, scopeIn, simulationOf } from "./wire/workflow.ts";

/** A run that is to go on. */
export interface ResumeOptions extends Driving, Wanted {
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
  const lock = await store.lock(id, { takeOver });
  try {
    const run = await store.load(id);
    if (run === undefined) throw new UnknownRunError(options.run);
    if (run.status === "completed") throw new RunCompletedError(id, run.results["main"] ?? null);
    requireBackend(run);
    const changed = changedSettings(withFolders(options.settings ?? {}, caller.cwd), run.settings);
    const given = { ...changed, ...raisedBudget(run, options) };
    refuseSpentBudget(run, given);
    if (!isFolder(run.launchDir)) throw new LaunchDirGoneError(id, run.launchDir);
    if (!isFolder(run.scopeDir)) throw new ScopeGoneError(id, run.scopeDir);
    const scope = scopeIn(run.workflow.kind, run.scopeDir);
    const simulation = isSimulated(run.backend) ? await simulationOf(run.workflow) : null;
    const settings = { ...run.settings, ...given };
    const upcoming = {
      settings,
      prompts: havePrompt(await scope.names()),
      promptFirst: isPromptNext(run),
    };
    const checked = await checkBackend(run.backend, upcoming, caller);
    const wiring = {
      id,
      store,
      started: { ...run.workflow, scope },
      settings,
      backend: run.backend,
      simulation,
      client: checked.client,
      lostSession: options.lostSession ?? "fail",
      begun: "before",
      program,
    } as const;
    return await drive(
      wiring,
      (engine, control) => {
        const { takenFrom } = lock;
        const first = takenFrom === null ? [] : [takenOver(id, takenFrom)];
        return resumeRun(run, given, engine, control, first);
      },
      checked,
      options,
      caller,
    );
  } finally {
    await lock.release();
  }
}

/** What the run may spend in all, from now on. */
function raisedBudget(
  { id, settings }: RunState,
  { addBudgetMicroUsd: added }: ResumeOptions,
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

function isPromptNext(run: RunState): boolean {
  return run.agents.some((agent) => stateKind(agent.state) === "prompt");
}
