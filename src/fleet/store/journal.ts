import type { Journal } from "../../engine/ports/journal.ts";
import { baseRecord, type JournalRecord } from "../../machine/record/journal.ts";
import type { RunId, RunState } from "../../machine/run-state.ts";
import { MAX_JOURNAL_BYTES } from "../../storage/journal-file.ts";
import type { Queries } from "./database.ts";
import { type LedgerEntry, ledgerEntries } from "./ledger.ts";

/** What waits for the save that it tells of. */
export interface PendingRecords {
  /** All that belongs to saves up to this one; `settle` once they are in the database. */
  upTo(save: number): {
    readonly records: readonly { readonly save: number; readonly text: string }[];
    readonly entries: readonly LedgerEntry[];
    /** What stands before the last record of this save is kept no longer; null: all is. */
    readonly keptFrom: number | null;
    readonly settle: () => void;
  };
}

/**
 * The journal of a run whose records go into the database with the save that they log
 * of, in one transaction: so none is there without its save, and no save without its
 * record. What the steps have cost is read from it. As of the files of a journal, there
 * are twice `most` bytes at most: after so many it begins anew with the state that it
 * has led to, and what lies before the beginning before that goes.
 */
export function tableJournal(most: number = MAX_JOURNAL_BYTES): Journal & PendingRecords {
  let waiting: readonly Waiting[] = [];
  let before: RunState | null = null;
  let bytes = 0;
  let base = 0;
  const add = (record: JournalRecord, entries: readonly LedgerEntry[], keptFrom: number | null) => {
    const text = JSON.stringify(record);
    bytes += text.length;
    waiting = [...waiting, { save: record.save, text, entries, keptFrom }];
  };
  return {
    append: (record, run) => {
      add(record, ledgerEntries(record, before), null);
      before = run;
      if (bytes < most) return;
      bytes = 0;
      add(baseRecord(run), [], base);
      base = record.save;
    },
    upTo: (save) => {
      const taken = waiting.filter((each) => each.save <= save);
      const froms = taken.flatMap(({ keptFrom }) => keptFrom ?? []);
      return {
        records: taken,
        entries: taken.flatMap(({ entries }) => entries),
        keptFrom: froms.length === 0 ? null : Math.max(...froms),
        settle: () => {
          waiting = waiting.filter((each) => !taken.includes(each));
        },
      };
    },
  };
}

/** A record, with what belongs to it. */
interface Waiting {
  readonly save: number;
  readonly text: string;
  readonly entries: readonly LedgerEntry[];
  readonly keptFrom: number | null;
}

/** All that the database has of the journal of a run, a record a line; null where that is nothing. */
export async function journalRows(on: Queries, run: RunId): Promise<string | null> {
  const rows = await on.query<{ readonly record: string }>(
    "SELECT record::text AS record FROM raymond.journal WHERE run = $1 ORDER BY id",
    [run],
  );
  return rows.length === 0 ? null : rows.map(({ record }) => `${record}\n`).join("");
}
