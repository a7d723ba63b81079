import type { Event } from "../core/machine/event.ts";
import { beginningOf } from "../core/machine/new-run.ts";
import type { RunSettings, RunState } from "../core/machine/run-state.ts";
import { stateKind } from "../core/workflow/state-file.ts";
import { resumeRun } from "../engine/resume.ts";
import { startRun } from "../engine/start.ts";
import { isSimulated } from "../ports/backend.ts";
import type { Store } from "../ports/store.ts";
import type { Caller } from "./caller.ts";
import { drive } from "./drive.ts";
import type { Driving } from "./driving.ts";
import { LaunchDirGoneError, ScopeGoneError } from "./errors.ts";
import { clientEnvironment, type Prompting } from "./prompting.ts";
import { checkBackend, requireBackend } from "./wire/backends.ts";
import { isFolder } from "./wire/system.ts";
import { havePrompt, scopeIn, simulationOf } from "./wire/workflow.ts";

/** How a run goes on. */
export interface GoingOn {
  readonly store: Store;
  /** How the user calls raymond for this run. */
  readonly program: string;
  /** What goes before the settings that the run has, and is kept. */
  readonly given: Partial<RunSettings>;
  readonly lostSession: "fail" | "fresh";
  /** Where its workflow lies on this machine, where that is not what the user has named. */
  readonly place?: string;
  /** Where its prompts are answered otherwise than as whoever calls would. */
  readonly prompting?: Prompting | undefined;
  /** Told before all else. */
  readonly first?: readonly Event[];
  /** Called once nothing was found wrong, before anything of the run is started. */
  readonly checkedAll?: (() => Promise<void>) | undefined;
}

/**
 * Drives a saved run to its end, and begins it where nothing has happened to it yet. The caller holds its
 * lock. Rejects with a RaymondError where it cannot go on here.
 */
export async function goOn(
  run: RunState,
  { store, program, given, lostSession, place, prompting, first = [], checkedAll }: GoingOn,
  driving: Driving,
  caller: Caller,
): Promise<RunState> {
  const { id } = run;
  requireBackend(run);
  if (!isFolder(run.launchDir)) throw new LaunchDirGoneError(id, run.launchDir);
  if (!isFolder(run.scopeDir)) throw new ScopeGoneError(id, run.scopeDir);
  const scope = scopeIn(run.workflow.kind, run.scopeDir);
  const workflow = { ...run.workflow, ...(place !== undefined && { path: place }) };
  const simulation = isSimulated(run.backend) ? await simulationOf(workflow) : null;
  const settings = { ...run.settings, ...given };
  const client = prompting?.client ?? settings.client;
  const upcoming = {
    settings: { ...settings, client },
    prompts: havePrompt(await scope.names()),
    promptFirst: isPromptNext(run),
  };
  const env = clientEnvironment(caller, prompting);
  const checked = await checkBackend(run.backend, upcoming, { ...caller, env });
  await checkedAll?.();
  const isNew = run.saves === 0;
  const wiring = {
    id,
    store,
    started: { ...workflow, scope },
    settings,
    backend: run.backend,
    simulation,
    client: checked.client ?? client,
    lostSession,
    begun: isNew ? "here" : "before",
    program,
    prompting,
  } as const;
  return drive(
    wiring,
    (engine, control) => {
      if (isNew) return startRun(beginningOf({ ...run, settings }), engine, control);
      return resumeRun(run, given, engine, control, first);
    },
    checked,
    driving,
    caller,
  );
}

function isPromptNext(run: RunState): boolean {
  return run.agents.some((agent) => stateKind(agent.state) === "prompt");
}
