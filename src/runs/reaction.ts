import { setTimeout as delay } from "node:timers/promises";
import type { RunId, RunState } from "../core/machine/run-state.ts";
import type { Store } from "../ports/store.ts";
import { UnknownRunError } from "../stores/errors.ts";

/** Whether a run becomes so within some seconds: what it is told is saved before anything starts. */
export async function becomes(
  store: Store,
  id: RunId,
  so: (run: RunState) => boolean,
): Promise<boolean> {
  for (const start = performance.now(); performance.now() - start < REACTION_MS; ) {
    if (so(await loadNamed(store, id))) return true;
    await delay(POLL_MS);
  }
  return false;
}

const REACTION_MS = 5_000;
const POLL_MS = 50;

/** A run that must be there. */
export async function loadNamed(store: Pick<Store, "load">, id: RunId): Promise<RunState> {
  const run = await store.load(id);
  if (run === undefined) throw new UnknownRunError(id);
  return run;
}
