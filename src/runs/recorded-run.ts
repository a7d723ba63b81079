import { readFile } from "node:fs/promises";
import { readJournal } from "../core/machine/journal.ts";
import { type Recorded, type Recording, recordingOf } from "../core/machine/recording.ts";
import type { RunState } from "../core/machine/run-state.ts";
import type { Artifacts } from "../ports/artifacts.ts";
import { UnknownRunError } from "../stores/errors.ts";
import type { Caller } from "./caller.ts";
import { NotRecordedError } from "./record-errors.ts";
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
  const text = await readFile(artifacts.journal, "utf8").catch(() => null);
  if (text === null) throw new NotRecordedError(id, "it has no journal that can be read");
  const recorded = fold(text, run);
  if (!recorded.ok) throw new NotRecordedError(id, recorded.problem);
  return { run, recording: recorded.recording, artifacts };
}

/** What another version has written can be anything to this one. */
function fold(text: string, run: RunState): Recorded {
  try {
    return recordingOf(readJournal(text).records, run);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, problem: `its journal cannot be read by this raymond (${why})` };
  }
}
