import type { RunState } from "../core/machine/run-state.ts";
import type { Control, Engine } from "../engine/engine.ts";
import type { Caller } from "./caller.ts";
import { watchConfig } from "./changed-config.ts";
import type { Driving } from "./driving.ts";
import { BrokenOffError } from "./errors.ts";
import { hasNudges, hearNudges } from "./nudges.ts";
import { onRetrySignal } from "./retry-signal.ts";
import type { Checked } from "./wire/checked.ts";
import { type Wiring, wire } from "./wire/engine.ts";

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
  const wired = await wire(wiring, { watch, warn }, caller);
  const { nudges, end } = await nudgesOf(wiring, driving);
  // Its own: each run listens to it, and would be held by one that stays.
  const never = new AbortController().signal;
  const control = {
    interrupt: never,
    kill: never,
    attended: () => false,
    parks: () => false,
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
    // What was never saved is no run that one could go on with.
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
  if (hasNudges(control)) return { nudges: control, end: () => undefined };
  const retries = onRetrySignal();
  const { requests } = await store.artifacts(id);
  const holder = () => store.holder(id);
  return { nudges: hearNudges(requests, holder, retries.listen), end: retries.end };
}

/** Whether there is a state file, be it one that cannot be read. */
async function isSaved({ id, store }: Wiring): Promise<boolean> {
  return store.load(id).then(
    (run) => run !== undefined,
    () => true,
  );
}
