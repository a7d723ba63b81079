import { describeOrigin, type RunState } from "../../machine/model/run-state.ts";
import { readJournal } from "../../machine/record/journal.ts";
import { type Recorded, type Recording, recordingOf } from "../../machine/record/recording.ts";
import { inspectErrors } from "../errors.ts";
import type { RunView } from "../run-view.ts";

/** A run with the inputs and states that its journal recorded. */
export interface RecordedRun
  extends Pick<RunView, "id" | "root" | "store" | "program" | "run" | "artifacts"> {
  readonly recording: Recording;
}

/** Rejects with `run/not-recorded` if the record is incomplete. */
export async function withRecording(view: RunView): Promise<RecordedRun> {
  const { id, root, store, program, run, artifacts } = view;
  const journal = await store.journalText(id);
  if (journal === null)
    throw inspectErrors["run/not-recorded"](id, "it has no journal that can be read");
  const recorded = fold(journal, run);
  if (!recorded.ok) throw inspectErrors["run/not-recorded"](id, recorded.problem);
  return { id, root, store, program, run, artifacts, recording: recorded.recording };
}

/** Why a recording lacks the start of its run, as the end of a sentence. */
export function startsLater({ base }: Recording): string {
  const { origin, saves, processes } = base;
  if (origin !== null && saves === 0) return describeOrigin(origin);
  return `its journal was compacted and starts at step ${String(processes + 1)}`;
}

/** A journal of another version can have any content. */
function fold(journal: string, run: RunState): Recorded {
  try {
    return recordingOf(readJournal(journal), run);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, problem: `this version of raymond cannot read its journal (${why})` };
  }
}
