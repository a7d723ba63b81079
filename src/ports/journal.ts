import type { JournalRecord } from "../core/machine/journal.ts";

/**
 * Where what led to each save is written down. Contract
 * (`tests/contracts/journal.ts`): `append` must not throw, and when it returns
 * the record is written.
 */
export interface Journal {
  /** Called before each save, in their order. */
  append(record: JournalRecord): void;
}
