import type { Event } from "../core/machine/event.ts";
import type { RunState } from "../core/machine/run-state.ts";

/**
 * Watches a run. Contract (`tests/contracts/observer.ts`): an observer cannot
 * change, delay or break the run that it watches.
 */
export interface Observer {
  /** `seq`: number of the event in its run, across all that go on with it; it only grows. */
  notify(event: Event, run: RunState, seq: number): void;
  /** Writes out what is still buffered. Never rejects. */
  close?(): Promise<void>;
}
