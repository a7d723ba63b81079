import type { RunId, RunState } from "../machine/run-state.ts";

/**
 * A run that this process drives. A signal would stop the whole process, so it is stopped by a
 * call.
 */
export interface DrivenHere {
  /** Its end. Rejects as `start` and `resume` do. */
  readonly ended: Promise<RunState>;
  readonly interrupt: () => void;
  readonly kill: () => void;
}

const driven = new Map<string, DrivenHere>();

/** Keeps in mind, until it ends, that this process drives the run of that id in this folder of runs. */
export function registerDriven(root: string, id: RunId, run: DrivenHere): void {
  const key = keyOf(root, id);
  driven.set(key, run);
  const forget = () => void driven.delete(key);
  run.ended.then(forget, forget);
}

/** Null where this process does not drive it. */
export function drivenHere(root: string, id: RunId): DrivenHere | null {
  return driven.get(keyOf(root, id)) ?? null;
}

function keyOf(root: string, id: RunId): string {
  return JSON.stringify([root, id]);
}
