import { advance, type Input } from "../advance.ts";
import type { Event } from "../event.ts";
import type { NewRunOptions } from "../new-run.ts";
import type { RunState } from "../run-state.ts";
import { type JournalRecord, originOf, startsProcess, validRecords } from "./journal.ts";

/** A run as its journal tells it: save by save, in the order in which all of it arrived. */
export interface Recording {
  /** Null where the journal does not reach back to it. */
  readonly beginning: NewRunOptions | null;
  /** Where the journal begins: the run before its first moment. */
  readonly base: RunState;
  /** How many raymonds have driven it, one after the other. */
  readonly lives: number;
  readonly moments: readonly RecordedMoment[];
}

/** What one save was made of. */
export interface RecordedMoment {
  readonly record: JournalRecord;
  readonly before: RunState;
  readonly inputs: readonly RecordedInput[];
  /** As it was saved. */
  readonly run: RunState;
}

/** One input, and the run before and after it. */
export interface RecordedInput {
  readonly input: Input;
  readonly before: RunState;
  readonly after: RunState;
  readonly events: readonly Event[];
}

/** A run that was recorded, or why it was not. */
export type Recorded =
  | { readonly ok: true; readonly recording: Recording }
  | { readonly ok: false; readonly problem: string };

/** The run up to this state, which the journal has to lead to, from as far back as it tells. */
export function recordingOf(records: readonly JournalRecord[], state: RunState): Recorded {
  const byNumber = new Map(validRecords(records).map((record) => [record.save, record]));
  const [first] = [...byNumber.values()].toSorted((a, b) => a.save - b.save);
  if (first === undefined || first.from === null) {
    return { ok: false, problem: "its journal does not tell how it began" };
  }
  const base = originOf(first.from);
  const moments: RecordedMoment[] = [];
  let run = base;
  for (let { save } = first; save <= state.saves; save += 1) {
    const record = byNumber.get(save);
    if (record === undefined) {
      return { ok: false, problem: `its journal has no record of save ${String(save)}` };
    }
    const moment = momentOf(run, record);
    moments.push(moment);
    run = moment.run;
  }
  if (!isSame(run, state)) {
    return { ok: false, problem: "its journal, as this raymond reads it, leads to another state" };
  }
  const lives = moments.filter(({ record }) => startsProcess(record)).length;
  const beginning = first.from.kind === "begun" ? first.from.beginning : null;
  return { ok: true, recording: { beginning, base, lives, moments } };
}

function momentOf(before: RunState, record: JournalRecord): RecordedMoment {
  const inputs: RecordedInput[] = [];
  // A command may have changed what no input says: the settings of a run that it resumes in a fleet.
  let now = record.from?.kind === "command" ? record.from.run : before;
  for (const input of record.inputs) {
    const [after, events] = advance(now, input);
    inputs.push({ input, before: now, after, events });
    now = after;
  }
  const run = { ...now, saves: record.save, updatedAt: record.updatedAt };
  return { record, before, inputs, run };
}

/** By what every step changes: a journal of another version would not come to the same. */
function isSame(run: RunState, state: RunState): boolean {
  return JSON.stringify(marksOf(run)) === JSON.stringify(marksOf(state));
}

function marksOf({ status, steps, processes, seq, totals, agents }: RunState): readonly unknown[] {
  const { attempts, costMicroUsd, estimatedMicroUsd } = totals;
  const sums = [attempts, costMicroUsd, estimatedMicroUsd];
  return [status, steps, processes, seq, sums, agents.map(({ id, state }) => [id, state])];
}
