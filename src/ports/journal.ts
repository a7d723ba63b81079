import type { JournalRecord } from "../core/machine/journal.ts";
import type { RunState } from "../core/machine/run-state.ts";

/**
 * Where what led to each save is written down. Contract
 * (`tests/contracts/journal.ts`): `append` must not throw, and when it returns
 * the record is written.
 */
export interface Journal {
  /** Called before each save, in their order; `run` is what is saved, which what is written down next can begin with. */
  append(record: JournalRecord, run: RunState): void;
}
