import type { Store } from "../ports/store.ts";
import { WorkerOverError } from "./errors.ts";

/** A store that can be shut: from then on nothing is saved through it any more. */
export interface Shuttable {
  shut(): void;
  isShut(): boolean;
}

/** Shuts by itself when the lease is lost. */
export function shuttable<S extends Store>(store: S, lost: AbortSignal): S & Shuttable {
  let shut = false;
  const isShut = () => shut || lost.aborted;
  return {
    ...store,
    save: async (run, expected) => {
      if (isShut()) throw new WorkerOverError(run.id);
      await store.save(run, expected);
    },
    shut: () => {
      shut = true;
    },
    isShut,
  };
}
