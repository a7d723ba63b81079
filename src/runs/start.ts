import { checkGiven } from "../config/given.ts";
import type { Settings } from "../config/switches.ts";
import type { RunId, RunState } from "../core/machine/run-state.ts";
import { payloadValues } from "../core/machine/step-values.ts";
import { attributeNameProblem, attributeValueProblem } from "../core/protocol/attributes.ts";
import { newRunId, runIdProblem } from "../core/run-id.ts";
import { stateKind } from "../core/workflow/state-file.ts";
import { startRun } from "../engine/start.ts";
import { SIMULATION } from "../ports/backend.ts";
import type { RunLock, Store } from "../ports/store.ts";
import { BadRunIdError } from "../stores/errors.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { drive } from "./drive.ts";
import type { Driving } from "./driving.ts";
import { RunExistsError } from "./errors.ts";
import { BadVariableError } from "./given-errors.ts";
import { lookAhead } from "./look-ahead.ts";
import { programName } from "./program-name.ts";
import { checkBackend, USUAL_BACKEND } from "./wire/backends.ts";
import {
  manifestWarnings,
  requireInput,
  workflowSettings,
  workflowVariables,
} from "./wire/manifest.ts";
import { readSettings } from "./wire/settings.ts";
import { type Place, stateRoot, storeIn } from "./wire/stores.ts";
import { newToken, randomBelow } from "./wire/system.ts";
import {
  checkFirstPrompt,
  havePrompt,
  openWorkflow,
  scopeIn,
  simulationOf,
  sourceOf,
} from "./wire/workflow.ts";

/** A run that is to be started. */
export interface StartOptions extends Driving, Place {
  /** A folder, a zip archive, or a state file in a folder. */
  readonly workflow: string;
  /** The state to begin at, of a folder or zip; without it the entry. */
  readonly start?: string | undefined;
  /** The pending result of the first state; a function is called when all else was found right. */
  readonly input?: string | (() => Promise<string>) | undefined;
  /** Those of the first agent, by name. */
  readonly attributes?: Readonly<Record<string, string>> | undefined;
  /** What goes before environment, configuration and defaults. */
  readonly settings?: Partial<Settings> | undefined;
  /** Prompts are answered from the file beside the workflow (docs/simulation.md). */
  readonly simulate?: boolean | undefined;
  /** The name of the run; without it one is chosen. */
  readonly id?: string | undefined;
}

/**
 * Starts a workflow and drives the run to its end, which the state tells. Whatever can be found wrong is
 * found before the run is created: then it rejects with a RaymondError, and nothing stays.
 */
export async function start(
  options: StartOptions,
  caller: Caller = thisProcess(),
): Promise<RunState> {
  checkGiven(options.settings ?? {});
  const root = await stateRoot(options, caller);
  checkAttributes(options.attributes ?? {});
  const opened = await openWorkflow(options.workflow, options.start ?? null, caller);
  const { located, manifest } = opened;
  const ahead = await lookAhead(sourceOf(located), located.entry, options.workflow);
  const { settings, warnings, notices } = await readSettings(
    options.settings ?? {},
    root,
    caller,
    workflowSettings(manifest),
  );
  const attributes = workflowVariables(manifest, options.attributes ?? {}, located);
  requireInput(manifest, options.input, located);
  const simulation = options.simulate === true ? await simulationOf(located) : null;
  const backend = simulation === null ? USUAL_BACKEND : SIMULATION;
  const upcoming = {
    settings,
    prompts: havePrompt(located.names),
    promptFirst: stateKind(located.entry) === "prompt",
  };
  const checked = await checkBackend(backend, upcoming, caller);
  const input =
    (typeof options.input === "function" ? await options.input() : options.input) ?? null;
  checkFirstPrompt(opened, { ...attributes, ...payloadValues(input) });

  const program = programName(options);
  const store = await storeIn(root, caller);
  const id = await chooseId(options, store, caller);
  const lock = await claim(store, id);
  try {
    const scopeDir = await located.place(await store.artifacts(id));
    const beginning = {
      id,
      workflow: { kind: located.kind, path: located.path, entry: located.entry },
      scopeDir,
      launchDir: caller.cwd,
      at: caller.now(),
      settings,
      backend,
      token: newToken(),
      input,
      attributes,
    } as const;
    const wiring = {
      id,
      store,
      started: {
        kind: located.kind,
        path: located.path,
        scope: scopeIn(located.kind, scopeDir),
      },
      settings,
      backend,
      simulation,
      client: checked.client,
      lostSession: "fail",
      begun: "here",
      program,
    } as const;
    return await drive(
      wiring,
      (engine, control) => startRun(beginning, engine, control),
      {
        ...checked,
        warnings: [
          ...warnings,
          ...manifestWarnings(manifest, located.manifestPath),
          ...(ahead === null ? [] : [ahead]),
          ...notices,
          ...checked.warnings,
        ],
      },
      options,
      caller,
    );
  } catch (error) {
    await forgetUnborn(id, lock, store);
    throw error;
  } finally {
    await lock.release();
  }
}

/** By the rules for attributes of a fork (docs/protocol.md, "Reserved attribute names"). */
function checkAttributes(attributes: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(attributes)) {
    const problem = attributeNameProblem(name) ?? attributeValueProblem(value);
    if (problem !== null) throw new BadVariableError(`${name}=${value}`, problem);
  }
}

async function chooseId(
  { id: wanted }: StartOptions,
  store: Store,
  { now }: Caller,
): Promise<RunId> {
  if (wanted === undefined) return newRunId(new Date(now()), randomBelow);
  const problem = runIdProblem(wanted);
  if (problem !== null) throw new BadRunIdError(wanted, problem);
  // Some file systems take names that differ only in case for the same.
  const same = (await store.list()).find(({ id }) => id.toLowerCase() === wanted.toLowerCase());
  if (same !== undefined) throw new RunExistsError(wanted, same.id);
  return wanted;
}

/** Another raymond may have used the id up between the choice and the lock. */
async function claim(store: Store, id: RunId): Promise<RunLock> {
  const lock = await store.lock(id);
  try {
    if ((await store.load(id)) !== undefined) throw new RunExistsError(id, id);
    return lock;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Nothing stays of a run that was never saved, a zip that found no room say: no command would list it. */
async function forgetUnborn(id: RunId, lock: RunLock, store: Store): Promise<void> {
  try {
    if ((await store.load(id)) !== undefined) return;
    await lock.release();
    await store.remove(id);
  } catch {
    // What has gone wrong before is told; a folder that stays behind is not worth another word.
  }
}
