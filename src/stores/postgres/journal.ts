import type { JournalRecord } from "../../core/machine/journal.ts";
import type { RunState } from "../../core/machine/run-state.ts";
import type { Journal } from "../../ports/journal.ts";
import { type LedgerEntry, ledgerEntries } from "./ledger.ts";

/** What waits for the save that it tells of. */
export interface PendingRecords {
  /** All that belongs to saves up to this one; `settle` once they are in the database. */
  upTo(save: number): {
    readonly records: readonly JournalRecord[];
    readonly entries: readonly LedgerEntry[];
    readonly settle: () => void;
  };
}

/**
 * The journal of a run whose records go into the database with the save that they tell
 * of, in one transaction: so none is there without its save, and no save without its
 * record. What the steps have cost is read from it.
 */
export function tableJournal(): Journal & PendingRecords {
  let waiting: readonly {
    readonly record: JournalRecord;
    readonly entries: readonly LedgerEntry[];
  }[] = [];
  let before: RunState | null = null;
  return {
    append: (record, run) => {
      waiting = [...waiting, { record, entries: ledgerEntries(record, before) }];
      before = run;
    },
    upTo: (save) => {
      const taken = waiting.filter(({ record }) => record.save <= save);
      return {
        records: taken.map(({ record }) => record),
        entries: taken.flatMap(({ entries }) => entries),
        settle: () => {
          waiting = waiting.filter((each) => !taken.includes(each));
        },
      };
    },
  };
}
