import type { Event } from "../../machine/model/event.ts";
import type { RunState } from "../../machine/model/run-state.ts";

/**
 * Watches a run. Contract (`tests/contracts/observer.ts`): an observer cannot change, delay or
 * break the run.
 */
export interface Observer {
  /** `seq`: number of the event in its run. It only grows, also across resumes. */
  notify(event: Event, run: RunState, seq: number): void;
  /** Flushes buffered output. Never rejects. */
  close?(): Promise<void>;
}
