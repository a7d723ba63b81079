import type { RunState } from "../../machine/model/run-state.ts";
import type { JournalRecord } from "../../machine/record/journal.ts";

/**
 * Records the inputs that led to each save. Contract (`tests/contracts/journal.ts`): `append` does
 * not throw; the record is written when it returns.
 */
export interface Journal {
  /**
   * Called before each save, in order. `run` is the saved state, from which a later record can
   * start.
   */
  append(record: JournalRecord, run: RunState): void;
}
