import { type JournalText, replayJournal, validRecords } from "../../machine/record/journal.ts";
import type { RunId, RunState } from "../../machine/run-state.ts";
import { DamagedStateError } from "../../storage/errors.ts";
import { journalOf } from "../../wire/journal.ts";
import { loadNamed } from "../../wire/load-named.ts";
import type { RunSource } from "../../wire/run-source.ts";

/** A run that is only read about. */
export interface LastKnown {
  readonly run: RunState;
  /** Why its state file cannot be used and the journal was; null otherwise. */
  readonly damage: DamagedStateError | null;
}

/**
 * A run for readers: from its state file or, if that is damaged, from its journal. Rejects as
 * `load` does if neither is readable.
 */
export async function lastKnown(store: RunSource, id: RunId): Promise<LastKnown> {
  try {
    return { run: await loadNamed(store, id), damage: null };
  } catch (error) {
    if (!(error instanceof DamagedStateError)) throw error;
    const journal = await journalOf(store, id);
    const run = journal && lastIn(journal, id);
    if (run === null) throw error;
    return { run, damage: error };
  }
}

/** What another version has written can be anything to this one. */
function lastIn({ records }: JournalText, id: RunId): RunState | null {
  try {
    const folded = replayJournal(records, validRecords(records).at(-1)?.save ?? 0);
    return folded.ok && folded.run.id === id ? folded.run : null;
  } catch {
    return null;
  }
}
