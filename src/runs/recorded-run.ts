import type { JournalText } from "../core/machine/journal.ts";
import { type Recorded, type Recording, recordingOf } from "../core/machine/recording.ts";
import { originWords, type RunState } from "../core/machine/run-state.ts";
import type { Artifacts } from "../ports/artifacts.ts";
import { UnknownRunError } from "../stores/errors.ts";
import type { Caller } from "./caller.ts";
import { NotRecordedError } from "./record-errors.ts";
import { journalOf } from "./wire/journal.ts";
import { nameRun, type Wanted } from "./wire/stores.ts";

/** A run together with all that has led to where it is. */
export interface RecordedRun {
  readonly run: RunState;
  readonly recording: Recording;
  readonly artifacts: Artifacts;
}

/** Reads what a run has recorded. Rejects with a {@link NotRecordedError} where it lacks what that needs. */
export async function readRecordedRun(wanted: Wanted, caller: Caller): Promise<RecordedRun> {
  const { id, store } = await nameRun(wanted, caller);
  const run = await store.load(id);
  if (run === undefined) throw new UnknownRunError(wanted.run);
  const artifacts = await store.artifacts(id);
  const journal = await journalOf(store, id);
  if (journal === null) throw new NotRecordedError(id, "it has no journal that can be read");
  const recorded = fold(journal, run);
  if (!recorded.ok) throw new NotRecordedError(id, recorded.problem);
  return { run, recording: recorded.recording, artifacts };
}

/** Why a recording lacks the beginning of its run, as the end of a sentence. */
export function beginsLater({ base }: Recording): string {
  const { origin, saves } = base;
  if (origin !== null && saves === 0) {
    return originWords(origin);
  }
  const first = String(base.processes + 1);
  return `its journal was compacted, and tells of nothing before step ${first}`;
}

/** What another version has written can be anything to this one. */
function fold({ records }: JournalText, run: RunState): Recorded {
  try {
    return recordingOf(records, run);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, problem: `its journal cannot be read by this raymond (${why})` };
  }
}
