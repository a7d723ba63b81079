import type { Artifacts } from "../engine/ports/artifacts.ts";
import type { RunLock, Store } from "../engine/ports/store.ts";
import { startRun } from "../engine/start.ts";
import type { StateName } from "../language/protocol/transition.ts";
import type { DeclaredWorktree } from "../language/workflow/policy/worktree.ts";
import { resolveSetup } from "../language/workflow/resolve.ts";
import { newRunId } from "../machine/model/run-id.ts";
import type { RunId, RunState } from "../machine/model/run-state.ts";
import { refuseBadId } from "../storage/run-home.ts";
import { checkBackend } from "../wire/backends.ts";
import type { Caller } from "../wire/caller.ts";
import { BrokenOffError } from "../wire/errors.ts";
import { programName } from "../wire/program-name.ts";
import { type Place, runsOf } from "../wire/stores.ts";
import { newToken, randomBelow, systemPlatform } from "../wire/system/system.ts";
import { adoptStateFolder, isUnusedStateFolder } from "../wire/trust/state-folders.ts";
import { drive } from "./drive.ts";
import type { Driving } from "./driving.ts";
import { runErrors } from "./errors.ts";
import { prepareRun, type WantedRun } from "./prepare.ts";
import { lockRun } from "./record-input.ts";
import { requireTrustedPlace } from "./trust.ts";
import { type MadeWorktree, makeWorktree } from "./worktree/run-worktree.ts";
import { discardUnsaved, recordWorktree } from "./worktree/unsaved-worktree.ts";
import { reportWorktree } from "./worktree/worktree-end.ts";

export interface StartOptions extends WantedRun, Driving, Place {
  /** Works in a new git worktree with this name. True: the id of the run. */
  readonly worktree?: string | true | undefined;
}

/**
 * Starts a workflow, drives the run to its end and returns its state. All checks are done before
 * the run is created: on a problem it rejects with a RaymondError, and leaves nothing behind.
 */
export async function start(options: StartOptions, caller: Caller): Promise<RunState> {
  const { root, store } = await runsOf(options, caller);
  const prepared = await prepareRun(options, root, caller, checkBackend);
  const { located, settings, attributes, input, backend, simulation, checked } = prepared;

  const program = programName(options);
  const id = await chooseId(options, store, caller);
  if (store.inProject) await requireTrustedPlace(root, options, caller);
  const isUnused = store.inProject && (await isUnusedStateFolder(root));
  return asNewRun(id, store, async () => {
    const artifacts = await store.artifacts(id);
    // Otherwise a resume asks for trust.
    if (isUnused) await adoptStateFolder(artifacts.root, caller.env).catch(() => undefined);
    await discardUnsaved(id, artifacts, caller);
    const scopeDir = await located.place(artifacts);
    const { worktree: declared } = prepared;
    const setup = setupOf(options, declared, located.names);
    const made = await worktreeOf(id, options, declared, artifacts, caller);
    const launchDir = made?.launchDir ?? caller.cwd;
    const { kind, path, entry } = located;
    const workflow = { kind, path, entry };
    const initial = {
      ...{ id, workflow, scopeDir, settings, backend, input, attributes },
      ...{ launchDir, stateFolder: root, worktree: made?.worktree, setup },
      at: caller.now(),
      token: newToken(),
    } as const;
    const wiring = {
      launchDir,
      ...{ id, store, workflow, scopeDir, settings, backend, simulation, program },
      ...{ clients: checked.clients, origin: caller.cwd },
      requestsSnapshots: prepared.requestsSnapshots,
      lostSession: "fail",
      startedBy: "here",
    } as const;
    const warnings = [...prepared.warnings, ...(made?.warnings ?? [])];
    const driven = drive(
      wiring,
      (engine, control) => startRun(initial, engine, control),
      { ...checked, warnings },
      options,
      { ...caller, cwd: launchDir },
    );
    const ended = await driven.catch(async (error: unknown) => {
      // A run that was never saved does not use its worktree.
      if (!(error instanceof BrokenOffError)) await made?.remove();
      throw error;
    });
    await reportWorktree(ended, artifacts, options, caller);
    return ended;
  });
}

async function worktreeOf(
  run: RunId,
  { worktree }: StartOptions,
  { copy, base }: DeclaredWorktree,
  artifacts: Artifacts,
  caller: Caller,
): Promise<MadeWorktree | null> {
  if (worktree === undefined) return null;
  const name = worktree === true ? null : worktree;
  const wanted = { run, name, origin: caller.cwd, from: null, copy, base };
  return makeWorktree(wanted, artifacts, caller, (made) => recordWorktree(made, artifacts));
}

/** The script that prepares the worktree. Throws a RaymondError. */
function setupOf(
  { worktree }: StartOptions,
  { setup }: DeclaredWorktree,
  names: readonly StateName[],
): StateName | undefined {
  if (worktree === undefined || setup === null) return undefined;
  return resolveSetup(names, setup, systemPlatform());
}

/** Rejects with a RaymondError if the id is invalid or exists. */
export async function chooseId(
  { id: wanted }: Pick<WantedRun, "id">,
  store: Store,
  { now }: Caller,
): Promise<RunId> {
  if (wanted === undefined) return newRunId(new Date(now()), randomBelow);
  refuseBadId(wanted);
  // Some file systems ignore upper and lower case.
  const same = await store.findIdIgnoringCase(wanted);
  if (same !== null) throw runErrors["cli/run-exists"](wanted, same);
  return wanted;
}

/** Locks a new run for `work`. A run that was never saved leaves nothing behind. */
export async function asNewRun<T>(id: RunId, store: Store, work: () => Promise<T>): Promise<T> {
  const lock = await claim(store, id);
  try {
    return await work();
  } catch (error) {
    await removeUnsaved(id, lock, store);
    throw error;
  } finally {
    await lock.release();
  }
}

/** Another process may have created a run with this id since it was chosen. */
async function claim(store: Store, id: RunId): Promise<RunLock> {
  const lock = await lockRun(store, id);
  try {
    if ((await store.load(id)) !== undefined) throw runErrors["cli/run-exists"](id, id);
    return lock;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Deletes the files of a run that was never saved: no command would list it. */
async function removeUnsaved(id: RunId, lock: RunLock, store: Store): Promise<void> {
  try {
    if ((await store.load(id)) !== undefined) return;
    await lock.release();
    await store.remove(id);
  } catch {
    // The earlier error is reported. A remaining folder is harmless.
  }
}
