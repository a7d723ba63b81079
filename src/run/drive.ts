import { readFile } from "node:fs/promises";
import path from "node:path";
import type { InspectedConfig } from "../config/load.ts";
import { settingChanges } from "../config/setting-changes.ts";
import type { Control, Engine } from "../engine/engine.ts";
import type { RunState } from "../machine/model/run-state.ts";
import type { Caller } from "../wire/caller.ts";
import type { Checked } from "../wire/client.ts";
import { onControlSignal } from "../wire/control-signal.ts";
import { type RunFacts, type Wiring, wire } from "../wire/engine/engine.ts";
import { BrokenOffError } from "../wire/errors.ts";
import { listenForRequests, receivesRequests } from "./control/request-dispatcher.ts";
import { type Driving, terminalRequests } from "./driving.ts";

type Begin = (engine: Engine, control: Control) => Promise<RunState>;

/**
 * Drives a run to its end. The caller holds the run's lock. Rejects with a {@link BrokenOffError}
 * if the run was saved, but could not be driven to its end.
 */
export async function drive(
  wiring: Wiring,
  begin: Begin,
  checked: Checked,
  driving: Driving,
  caller: Caller,
): Promise<RunState> {
  const { watch = () => [], warn = () => undefined } = driving;
  const configChange = await watchConfig((await wiring.store.artifacts(wiring.id)).root);
  const requests = terminalRequests(wiring, caller);
  const watching = { watch: (facts: RunFacts) => watch({ ...facts, ...requests }), warn };
  const wired = await wire({ ...wiring, logins: checked.logins }, watching, caller);
  const { listeners, end } = await requestListeners(wiring, driving);
  // A signal per run: each run adds listeners, and a shared signal would retain them.
  const never = new AbortController().signal;
  const control = {
    interrupt: never,
    kill: never,
    attended: () => false,
    parksWhenIdle: () => false,
    ...listeners,
    ...driving.control,
  };
  for (const message of checked.warnings) warn(message);
  void checked.later.then((message) => {
    if (message !== null) warn(message);
  });
  try {
    return await begin(wired.engine, control);
  } catch (error) {
    // A run that was never saved cannot be resumed.
    throw (await isSaved(wiring)) ? new BrokenOffError(wiring.id, error) : error;
  } finally {
    await Promise.all([wired.close(), checked.end()]);
    end();
    const change = wiring.settings.changedFiles === "allow" ? null : await configChange();
    if (change !== null) warn(change);
  }
}

/** Control requests arrive by signal in the run's folder, unless the caller passes them on. */
async function requestListeners({ store, id }: Wiring, { control }: Driving) {
  if (receivesRequests(control)) return { listeners: control, end: () => undefined };
  const signal = onControlSignal();
  const { requests } = await store.artifacts(id);
  const holder = () => store.holder(id);
  return { listeners: listenForRequests(requests, holder, signal.listen), end: signal.end };
}

/** Whether there is a state file, readable or not. */
async function isSaved({ id, store }: Wiring): Promise<boolean> {
  return store.load(id).then(
    (run) => run !== undefined,
    () => true,
  );
}

/** Records the configuration file. The result describes later changes of its settings; null: none. */
async function watchConfig(root: string): Promise<() => Promise<string | null>> {
  const file = path.join(root, "config.toml");
  const before = await textOf(file);
  return async () => {
    const after = await textOf(file);
    if (after === before) return null;
    const { inspectText } = await import("../config/load.ts");
    const changes = changesBetween(inspectText(file, before ?? ""), inspectText(file, after ?? ""));
    if (changes.length === 0) return null;
    return `${file} was changed during the run, and the next run uses it: ${changes.join("; ")}. Check that the change is intended.`;
  };
}

function changesBetween(before: InspectedConfig, after: InspectedConfig): readonly string[] {
  const changed = settingChanges(before.settings, after.settings);
  return [...changed, ...after.errors.map(({ message }) => message)];
}

/** Null if the file cannot be read. A run that needs it reports why. */
async function textOf(file: string): Promise<string | null> {
  return readFile(file, "utf8").catch(() => null);
}
