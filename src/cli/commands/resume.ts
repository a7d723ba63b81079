import { stat } from "node:fs/promises";
import { parseDollars } from "../../config/flags.ts";
import { changedSettings } from "../../config/switches.ts";
import { type RunSettings, type RunState, spent } from "../../core/machine/run-state.ts";
import { stateKind } from "../../core/workflow/state-file.ts";
import { resumeRun } from "../../engine/resume.ts";
import { nextBudget } from "../../observers/summary.ts";
import { isSimulated } from "../../ports/backend.ts";
import { folderScope } from "../../scopes/folder.ts";
import { loadSimulation } from "../../simulation/find.ts";
import { UnknownRunError } from "../../stores/errors.ts";
import { requireBackend } from "../backends.ts";
import { driveRun } from "../drive.ts";
import {
  BudgetSpentError,
  FlagConflictError,
  LaunchDirGoneError,
  RunCompletedError,
  ScopeGoneError,
} from "../errors.ts";
import { checkClient } from "../preflight.ts";
import { settingsOf } from "../run-flags.ts";
import { type RunOptions, refuseMisplaced } from "../run-options.ts";
import { nameRun } from "../runs.ts";
import type { Shell } from "../shell.ts";

/**
 * `raymond --resume ID`: goes on with a run, in the folder that it was started
 * in, with its own settings but for the flags that are given. Returns the exit
 * code.
 */
export async function resumeCommand(
  wanted: string,
  options: RunOptions,
  shell: Shell,
): Promise<number> {
  refuseMisplaced(options, "resume");
  const flags = settingsOf(options);
  const { id, store, place } = await nameRun(shell, wanted, options.stateDir);
  const lock = await store.lock(id);
  try {
    const run = await store.load(id);
    if (run === undefined) throw new UnknownRunError(wanted);
    if (run.status === "completed") throw new RunCompletedError(id, run.results["main"] ?? null);
    requireBackend(run);
    const given = { ...changedSettings(flags, run.settings), ...raisedBudget(run, options) };
    refuseSpentBudget(run, given);
    if (!(await isFolder(run.launchDir))) throw new LaunchDirGoneError(id, run.launchDir);
    if (!(await isFolder(run.scopeDir))) throw new ScopeGoneError(id, run.scopeDir);
    const scope = folderScope(run.scopeDir);
    const simulated = isSimulated(run.backend);
    const simulation = simulated
      ? await loadSimulation(run.workflow.path, run.workflow.kind)
      : null;
    const settings = { ...run.settings, ...given };
    const prompts = (await scope.names()).some((name) => stateKind(name) === "prompt");
    const upcoming = { settings, prompts: prompts && !simulated, promptFirst: isPromptNext(run) };
    const checked = await checkClient(upcoming, shell);
    const wiring = {
      id,
      store,
      scope,
      settings,
      backend: run.backend,
      simulation,
      client: checked.client,
      lostSession: options.lostSession ?? "fail",
      begun: "before",
      keeping: "kept",
    } as const;
    return await driveRun(
      wiring,
      (engine, control) => resumeRun(run, given, engine, control),
      checked,
      { ...options, ...place },
      shell,
    );
  } finally {
    await lock.release();
  }
}

/** `--add-budget`: what the run may spend in all, from now on. */
function raisedBudget(run: RunState, { addBudget }: RunOptions): Partial<RunSettings> {
  if (addBudget === undefined) return {};
  const added = parseDollars("--add-budget", addBudget);
  const { budgetMicroUsd } = run.settings;
  if (budgetMicroUsd === null) {
    const hint = "Leave the flag away, or give it a budget: --budget USD.";
    throw new FlagConflictError(`The run ${run.id} has no budget to add to.`, hint);
  }
  return { budgetMicroUsd: budgetMicroUsd + added };
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

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() === true;
}
