import path from "node:path";
import type { RunId } from "../../core/machine/run-state.ts";
import { payloadValues } from "../../core/machine/step-values.ts";
import { newRunId, runIdProblem } from "../../core/run-id.ts";
import { stateKind } from "../../core/workflow/state-file.ts";
import { startRun } from "../../engine/start.ts";
import { SIMULATION } from "../../ports/backend.ts";
import type { RunLock, Store } from "../../ports/store.ts";
import { folderScope } from "../../scopes/folder.ts";
import { locateWorkflow } from "../../scopes/open.ts";
import { loadSimulation } from "../../simulation/find.ts";
import { BadRunIdError } from "../../stores/errors.ts";
import { USUAL_BACKEND } from "../backends.ts";
import { driveRun } from "../drive.ts";
import { checkEntry, checkFirstPrompt } from "../entry.ts";
import { RunExistsError } from "../errors.ts";
import { refuseRun } from "../mistaken-run.ts";
import { checkClient } from "../preflight.ts";
import { variablesOf } from "../run-flags.ts";
import { type RunOptions, refuseMisplaced } from "../run-options.ts";
import { stateRoot, storeIn } from "../runs.ts";
import { readSettings } from "../settings.ts";
import type { Shell } from "../shell.ts";
import { newToken, randomBelow, systemPlatform } from "../system.ts";
import type { Wiring } from "../wire.ts";
import { programName } from "../words.ts";

/**
 * `raymond WORKFLOW`: whatever can be found wrong is found before the run is
 * created, then the run is driven to its end. Returns the exit code.
 */
export async function runCommand(
  workflow: string,
  options: RunOptions,
  shell: Shell,
  keeping: Wiring["keeping"] = "kept",
): Promise<number> {
  refuseMisplaced(options, "start");
  const platform = systemPlatform();
  const root = await stateRoot(shell, options.stateDir);
  const { settings, warnings, notices } = await readSettings(options, root, shell);
  const attributes = variablesOf(options);
  await refuseRun(workflow, root, options, shell);
  const located = await locateWorkflow(
    path.resolve(shell.cwd, workflow),
    platform,
    options.start ?? null,
  );
  const first = await checkEntry(located, platform);
  const simulation =
    options.simulate === true ? await loadSimulation(located.path, located.kind) : null;
  const upcoming = {
    settings,
    prompts: simulation === null && located.names.some((name) => stateKind(name) === "prompt"),
    promptFirst: stateKind(located.entry) === "prompt",
  };
  const checked = await checkClient(upcoming, shell);
  const input = options.input === "-" ? await shell.readStdin() : (options.input ?? null);
  checkFirstPrompt(located, first, { ...attributes, ...payloadValues(input) });

  const store = await storeIn(root, shell);
  const id = await chooseId(options, store, shell);
  const lock = await store.lock(id);
  try {
    // Another raymond may have used the id up between the choice and the lock.
    if ((await store.load(id)) !== undefined) {
      throw new RunExistsError(id, id, programName(options));
    }
  } catch (error) {
    await lock.release();
    throw error;
  }
  try {
    const scopeDir = await located.place(await store.artifacts(id));
    const beginning = {
      id,
      workflow: { kind: located.kind, path: located.path, entry: located.entry },
      scopeDir,
      launchDir: shell.cwd,
      at: shell.now(),
      settings,
      backend: simulation === null ? USUAL_BACKEND : SIMULATION,
      token: newToken(),
      input,
      attributes,
    } as const;
    return await driveRun(
      {
        id,
        store,
        scope: folderScope(scopeDir),
        settings,
        backend: beginning.backend,
        simulation,
        client: checked.client,
        lostSession: "fail",
        begun: "here",
        keeping,
      },
      (engine, control) => startRun(beginning, engine, control),
      { ...checked, warnings: [...warnings, ...notices, ...checked.warnings] },
      options,
      shell,
    );
  } catch (error) {
    await forgetUnborn(id, lock, store);
    throw error;
  } finally {
    await lock.release();
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

async function chooseId(options: RunOptions, store: Store, shell: Shell): Promise<RunId> {
  const { workflowId: wanted } = options;
  if (wanted === undefined) return newRunId(new Date(shell.now()), randomBelow);
  const problem = runIdProblem(wanted);
  if (problem !== null) throw new BadRunIdError(wanted, problem);
  // Some file systems take names that differ only in case for the same.
  const same = (await store.list()).find(({ id }) => id.toLowerCase() === wanted.toLowerCase());
  if (same !== undefined) throw new RunExistsError(wanted, same.id, programName(options));
  return wanted;
}
