import type { Event } from "../core/machine/event.ts";
import type { RunState } from "../core/machine/run-state.ts";

/**
 * Watches a run. Contract (`tests/contracts/observer.ts`): an observer cannot
 * change, delay or break the run that it watches.
 */
export interface Observer {
  notify(event: Event, run: RunState): void;
  /** Writes out what is still buffered. Never rejects. */
  close?(): Promise<void>;
}
