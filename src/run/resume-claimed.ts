import { runSettingChanges } from "../config/setting-changes.ts";
import type { Control, Engine } from "../engine/engine.ts";
import { isSimulated } from "../engine/ports/backend.ts";
import { resumeRun } from "../engine/resume.ts";
import { startRun } from "../engine/start.ts";
import type { Actor } from "../machine/model/actor.ts";
import type { Event } from "../machine/model/event.ts";
import type { RunSettings, RunState } from "../machine/model/run-state.ts";
import { newRunOptionsOf } from "../machine/moves/new-run.ts";
import { agentsOfRun } from "../wire/agents/upcoming.ts";
import { checkBackend, requireBackend } from "../wire/backends.ts";
import type { Caller } from "../wire/caller.ts";
import { clientEnvironment, type Prompting } from "../wire/engine/inherited.ts";
import { wireErrors } from "../wire/errors.ts";
import type { RunSource } from "../wire/run-source.ts";
import { isFolder } from "../wire/system/system.ts";
import type { ProjectTrust } from "../wire/trust/client-project.ts";
import { scopeIn, simulationOf } from "../wire/workflow.ts";
import { drive } from "./drive.ts";
import type { Driving } from "./driving.ts";
import { runErrors } from "./errors.ts";
import { upcomingStates } from "./upcoming-states.ts";
import { ensureWorktree } from "./worktree/run-worktree.ts";
import { reportWorktree } from "./worktree/worktree-end.ts";

export interface ClaimedRunOptions {
  readonly store: RunSource;
  readonly program: string;
  /** Replace settings of the run, permanently. */
  readonly given: Partial<RunSettings>;
  readonly lostSession: "fail" | "fresh";
  /** How settings of the project for the client are treated. */
  readonly trust: ProjectTrust["trust"];
  readonly warnings?: readonly string[];
  /** The path of its workflow on this machine, if it differs from the path that the user named. */
  readonly place?: string;
  /** Replaces the client or the environment of its prompts. */
  readonly prompting?: Prompting | undefined;
  /** Events to emit first. */
  readonly first?: readonly Event[];
  /** Settings that were changed, one per entry. Default: those in `given`. */
  readonly changed?: readonly string[] | undefined;
  /** Who started or resumed it. Default: the caller. */
  readonly actor?: Actor | undefined;
  /** Called after all checks, before anything starts. */
  readonly checkedAll?: (() => Promise<void>) | undefined;
}

/**
 * Drives a saved run to its end, and starts it if it has no steps yet. The caller holds its lock.
 * Rejects with a RaymondError if it cannot run here.
 */
export async function resumeClaimed(
  run: RunState,
  options: ClaimedRunOptions,
  driving: Driving,
  caller: Caller,
): Promise<RunState> {
  const { store, program, given, lostSession, place, prompting } = options;
  const { id, backend } = run;
  requireBackend(run);
  const artifacts = await store.artifacts(id);
  await ensureWorktree(run, artifacts, caller);
  if (!isFolder(run.launchDir)) throw runErrors["run/launch-dir-gone"](id, run.launchDir);
  if (!isFolder(run.scopeDir)) throw wireErrors["run/scope-gone"](id, run.scopeDir);
  const workflow = { ...run.workflow, ...(place !== undefined && { path: place }) };
  const simulation = isSimulated(backend) ? await simulationOf(workflow) : null;
  const settings = { ...run.settings, ...given };
  const clients = { ...settings.clients, ...prompting?.clients };
  const scope = scopeIn(workflow.kind, run.scopeDir);
  const states = await upcomingStates(run, { ...scope, workflow: workflow.path });
  const upcoming = {
    settings: { ...settings, clients },
    agents: agentsOfRun({ ...run, settings }, await scope.names(), states),
    project: { folder: run.worktree?.origin ?? run.launchDir, trust: options.trust },
  };
  const env = clientEnvironment(caller, prompting);
  const checked = await checkBackend(backend, upcoming, { ...caller, env });
  await options.checkedAll?.();
  const isNew = run.saves === 0;
  const { first, changed = runSettingChanges(run.settings, given), actor } = options;
  const wiring = {
    ...{ id, store, workflow, settings, backend, simulation, lostSession, program, prompting },
    scopeDir: run.scopeDir,
    launchDir: run.launchDir,
    ...{ clients: { ...clients, ...checked.clients }, origin: upcoming.project.folder },
    startedBy: isNew ? "here" : "before",
    ...(actor !== undefined && { actor }),
  } as const;
  const begin = (engine: Engine, control: Control) =>
    isNew
      ? startRun(newRunOptionsOf({ ...run, settings }), engine, control)
      : resumeRun(run, given, engine, control, { first, changed });
  const warnings = [...(options.warnings ?? []), ...checked.warnings];
  const ended = await drive(wiring, begin, { ...checked, warnings }, driving, caller);
  await reportWorktree(ended, artifacts, driving, caller);
  return ended;
}
