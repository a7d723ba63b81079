import type { Control, Engine } from "../engine/engine.ts";
import type { RunState } from "../machine/run-state.ts";
import type { Caller } from "../wire/caller.ts";
import type { Checked } from "../wire/client.ts";
import { onControlSignal } from "../wire/control-signal.ts";
import { type RunFacts, type Wiring, wire } from "../wire/engine/engine.ts";
import { BrokenOffError } from "../wire/errors.ts";
import { watchConfig } from "./changed-config.ts";
import { listenForRequests, receivesRequests } from "./control/request-dispatcher.ts";
import { type Driving, terminalRequests } from "./driving.ts";

/** What drives a run: `startRun` or `resumeRun`, with all but the world filled in. */
type Begin = (engine: Engine, control: Control) => Promise<RunState>;

/**
 * Drives a run to its end. The caller holds the run's lock. Rejects with a
 * {@link BrokenOffError} where the run could be saved and not be driven to an end.
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
  const wired = await wire(wiring, watching, caller);
  const { nudges, end } = await nudgesOf(wiring, driving);
  // A signal per run: each run adds listeners, and a shared signal would retain them.
  const never = new AbortController().signal;
  const control = {
    interrupt: never,
    kill: never,
    attended: () => false,
    parksWhenIdle: () => false,
    ...nudges,
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

/** How it receives control requests: by a signal and the run's folder, unless the caller hands them over. */
async function nudgesOf({ store, id }: Wiring, { control }: Driving) {
  if (receivesRequests(control)) return { nudges: control, end: () => undefined };
  const retries = onControlSignal();
  const { requests } = await store.artifacts(id);
  const holder = () => store.holder(id);
  return { nudges: listenForRequests(requests, holder, retries.listen), end: retries.end };
}

/** Whether there is a state file, readable or not. */
async function isSaved({ id, store }: Wiring): Promise<boolean> {
  return store.load(id).then(
    (run) => run !== undefined,
    () => true,
  );
}
