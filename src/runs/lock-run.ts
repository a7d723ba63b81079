import type { RunId } from "../core/machine/run-state.ts";
import type { Claiming, RunLock, Store } from "../ports/store.ts";
import { onRetrySignal } from "./retry-signal.ts";

/**
 * Locks a run. While this process holds the lock, another may signal it that there is a request: the default
 * action of that signal would end this process before anything listens.
 */
export async function lockRun(
  store: Pick<Store, "lock">,
  id: RunId,
  claiming?: Claiming,
): Promise<RunLock> {
  const signal = onRetrySignal();
  try {
    const lock = await store.lock(id, claiming);
    const release = () => lock.release().finally(signal.end);
    return { takenFrom: lock.takenFrom, release };
  } catch (error) {
    signal.end();
    throw error;
  }
}
