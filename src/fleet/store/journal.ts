import type { Journal } from "../../engine/ports/journal.ts";
import type { RunId, RunState } from "../../machine/model/run-state.ts";
import { baseRecord, type JournalRecord } from "../../machine/record/journal.ts";
import { MAX_JOURNAL_BYTES } from "../../storage/journal-file.ts";
import type { Queries } from "./database.ts";
import { type LedgerEntry, ledgerEntries } from "./ledger.ts";

interface PendingRecord {
  readonly save: number;
  readonly text: string;
  readonly entries: readonly LedgerEntry[];
  /** The save whose record starts the journal from now on; earlier records are deleted. Null: no change. */
  readonly keptFrom: number | null;
}

export type TableJournal = ReturnType<typeof tableJournal>;

/**
 * Journal records, and the ledger entries derived from them, until they are stored: in the transaction of
 * their save. A journal holds at most about twice `maxBytes`: when it has grown by `maxBytes`, it continues
 * with a record of the whole state, and the records before the previous one of these are deleted.
 */
export function tableJournal(maxBytes: number = MAX_JOURNAL_BYTES) {
  let records: readonly PendingRecord[] = [];
  let before: RunState | null = null;
  let bytes = 0;
  let base = 0;
  const add = (
    record: JournalRecord,
    entries: readonly LedgerEntry[],
    keptFrom: number | null = null,
  ) => {
    const text = JSON.stringify(record);
    bytes += text.length;
    records = [...records, { save: record.save, text, entries, keptFrom }];
  };
  const append: Journal["append"] = (record, run) => {
    add(record, ledgerEntries(record, before));
    before = run;
    if (bytes < maxBytes) return;
    bytes = 0;
    add(baseRecord(run), [], base);
    base = record.save;
  };
  return {
    append,
    /** The records up to this save, which are not stored yet. */
    pending: (save: number) => records.filter((record) => record.save <= save),
    /** Forgets the records up to this save, because they are stored. */
    stored: (save: number) => {
      records = records.filter((record) => record.save > save);
    },
  };
}

/** All stored records, one per line; null if there are none. */
export async function journalRows(on: Queries, run: RunId): Promise<string | null> {
  const rows = await on.query<{ readonly record: string }>(
    "SELECT record::text AS record FROM raymond.journal WHERE run = $1 ORDER BY id",
    [run],
  );
  return rows.length === 0 ? null : rows.map(({ record }) => `${record}\n`).join("");
}
