import { setTimeout as delay } from "node:timers/promises";
import { advance, type Input } from "../core/machine/advance.ts";
import type { Event } from "../core/machine/event.ts";
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

/**
 * Records in the state file of a run that nobody holds what has happened to it, or what `input` says of it
 * once it is held. Resolves with what there is to tell of that.
 */
export async function recordInput(
  store: Store,
  id: RunId,
  input: Input | ((run: RunState) => Promise<Input>),
  at: number,
): Promise<readonly Event[]> {
  const lock = await store.lock(id);
  try {
    const run = await loadNamed(store, id);
    const [next, events] = advance(run, typeof input === "function" ? await input(run) : input);
    const saves = run.saves + 1;
    await store.save({ ...next, saves, updatedAt: new Date(at).toISOString() }, run.saves);
    return events;
  } finally {
    await lock.release();
  }
}

/** A run that must be there. */
export async function loadNamed(store: Pick<Store, "load">, id: RunId): Promise<RunState> {
  const run = await store.load(id);
  if (run === undefined) throw new UnknownRunError(id);
  return run;
}
