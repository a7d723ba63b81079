import type { Artifacts } from "../../engine/ports/artifacts.ts";
import type { JournalText } from "../../machine/record/journal.ts";
import { type Recorded, type Recording, recordingOf } from "../../machine/record/recording.ts";
import { describeOrigin, type RunState } from "../../machine/run-state.ts";
import { storageErrors } from "../../storage/errors.ts";
import type { Caller } from "../../wire/caller.ts";
import { journalOf } from "../../wire/journal.ts";
import { nameRun, type Wanted } from "../../wire/stores.ts";
import { inspectErrors } from "../errors.ts";

/** A run together with all that has led to where it is. */
export interface RecordedRun {
  readonly run: RunState;
  readonly recording: Recording;
  readonly artifacts: Artifacts;
}

/** Rejects with `run/not-recorded` if the record is incomplete. */
export async function readRecordedRun(wanted: Wanted, caller: Caller): Promise<RecordedRun> {
  const { id, store } = await nameRun(wanted, caller);
  const run = await store.load(id);
  if (run === undefined) throw storageErrors["store/unknown-run"](wanted.run);
  const artifacts = await store.artifacts(id);
  const journal = await journalOf(store, id);
  if (journal === null)
    throw inspectErrors["run/not-recorded"](id, "it has no journal that can be read");
  const recorded = fold(journal, run);
  if (!recorded.ok) throw inspectErrors["run/not-recorded"](id, recorded.problem);
  return { run, recording: recorded.recording, artifacts };
}

/** Why a recording lacks the start of its run, as the end of a sentence. */
export function startsLater({ base }: Recording): string {
  const { origin, saves } = base;
  if (origin !== null && saves === 0) {
    return describeOrigin(origin);
  }
  const first = String(base.processes + 1);
  return `its journal was compacted and starts at step ${first}`;
}

/** What another version has written can be anything to this one. */
function fold({ records }: JournalText, run: RunState): Recorded {
  try {
    return recordingOf(records, run);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, problem: `this version of raymond cannot read its journal (${why})` };
  }
}
