import type { ClaimOptions, RunLock, Store } from "../engine/ports/store.ts";
import type { RunId } from "../machine/run-state.ts";
import { onControlSignal } from "../wire/control-signal.ts";

/**
 * Locks a run. The holder of a lock may receive the control signal, and its default action would
 * end this process before anything listens.
 */
export async function lockRun(
  store: Pick<Store, "lock">,
  id: RunId,
  claiming?: ClaimOptions,
): Promise<RunLock> {
  const signal = onControlSignal();
  try {
    const lock = await store.lock(id, claiming);
    const release = () => lock.release().finally(signal.end);
    return { previousHolder: lock.previousHolder, release };
  } catch (error) {
    signal.end();
    throw error;
  }
}
