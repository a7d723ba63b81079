import { asQueued, type QueuedRun, type RunSummary } from "../engine/ports/store.ts";
import type { RunId } from "../machine/model/run-state.ts";
import { type Caller, thisProcess } from "../wire/caller.ts";
import { type Place, runsOf } from "../wire/stores.ts";

export interface RunList {
  /** The state folder, or the name of the fleet. */
  readonly root: string;
  /** Last started first. An unreadable run has the status `unreadable`. */
  readonly runs: readonly RunSummary[];
}

export async function list(place: Place = {}, caller: Caller = thisProcess()): Promise<RunList> {
  const { root, store } = await runsOf(place, caller);
  const [runs, expected] = await Promise.all([store.list(), store.queue.expected()]);
  return { root, runs: runs.map((run) => asExpected(run, expected)) };
}

/** A run without a holder is queued if a worker is about to claim it. */
export function asExpected(run: RunSummary, expected: ReadonlyMap<RunId, QueuedRun>): RunSummary {
  const found = run.holder === null ? expected.get(run.id) : undefined;
  return found === undefined ? run : asQueued(run, found);
}
