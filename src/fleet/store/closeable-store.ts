import type { Store } from "../../engine/ports/store.ts";
import { fleetErrors } from "../errors.ts";

/** A store that can be shut: from then on nothing is saved through it any more. */
export interface CloseableStore {
  closeSaves(): void;
  isClosed(): boolean;
}

/** Shuts by itself when the lease is lost. */
export function closeableStore<S extends Store>(store: S, lost: AbortSignal): S & CloseableStore {
  let shut = false;
  const isShut = () => shut || lost.aborted;
  return {
    ...store,
    save: async (run, expected) => {
      if (isShut()) throw fleetErrors["fleet/worker-over"](run.id);
      await store.save(run, expected);
    },
    closeSaves: () => {
      shut = true;
    },
    isClosed: isShut,
  };
}
