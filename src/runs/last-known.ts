import { foldJournal, type JournalText, recordsOf } from "../core/machine/journal.ts";
import type { RunId, RunState } from "../core/machine/run-state.ts";
import type { Store } from "../ports/store.ts";
import { DamagedStateError } from "../stores/errors.ts";
import { loadNamed } from "./load-named.ts";
import { journalOf } from "./wire/journal.ts";

/** A run that is only read about. */
export interface LastKnown {
  readonly run: RunState;
  /** Why its state file cannot be used; null where that tells the run. Else its journal does. */
  readonly damage: DamagedStateError | null;
}

/**
 * A run for who only reads: where its state file is damaged, as its journal tells it.
 * Rejects as `load` does where that cannot tell it either.
 */
export async function lastKnown(
  store: Pick<Store, "load" | "artifacts" | "remote">,
  id: RunId,
): Promise<LastKnown> {
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
    const folded = foldJournal(records, recordsOf(records).at(-1)?.save ?? 0);
    return folded.ok && folded.run.id === id ? folded.run : null;
  } catch {
    return null;
  }
}
