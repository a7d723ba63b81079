import { advance, type Input } from "../advance.ts";
import type { Event } from "../model/event.ts";
import type { RunState } from "../model/run-state.ts";
import type { NewRunOptions } from "../moves/new-run.ts";
import { type JournalRecord, originOf, startsProcess, validRecords } from "./journal.ts";

/** A run as recorded in its journal. */
export interface Recording {
  /** The start of the run; null if the journal does not contain it. */
  readonly options: NewRunOptions | null;
  /** The run before the first moment. */
  readonly base: RunState;
  /** Number of processes that ran it, one after the other. */
  readonly lives: number;
  readonly moments: readonly RecordedMoment[];
}

export interface RecordedMoment {
  readonly record: JournalRecord;
  readonly before: RunState;
  readonly inputs: readonly RecordedInput[];
  readonly run: RunState;
}

/** One input, and the run before and after it. */
export interface RecordedInput {
  readonly input: Input;
  readonly before: RunState;
  readonly after: RunState;
  readonly events: readonly Event[];
}

/** A recording, or why there is none, as a clause. */
export type Recorded =
  | { readonly ok: true; readonly recording: Recording }
  | { readonly ok: false; readonly problem: string };

/** Replays a journal from its first record. Fails unless the result equals `state`. */
export function recordingOf(records: readonly JournalRecord[], state: RunState): Recorded {
  const byNumber = new Map(validRecords(records).map((record) => [record.save, record]));
  const [first] = [...byNumber.values()].toSorted((a, b) => a.save - b.save);
  if (first === undefined || first.from === null) {
    return { ok: false, problem: "the start of the run is not in its journal" };
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
    return {
      ok: false,
      problem: "this version of raymond replays its journal to a different state",
    };
  }
  const lives = moments.filter(({ record }) => startsProcess(record)).length;
  const options = first.from.kind === "started" ? first.from.options : null;
  return { ok: true, recording: { options, base, lives, moments } };
}

function momentOf(before: RunState, record: JournalRecord): RecordedMoment {
  const inputs: RecordedInput[] = [];
  // A command may change the run without an input, such as the settings of a fleet run.
  let now = record.from?.kind === "command" ? record.from.run : before;
  for (const input of record.inputs) {
    const [after, events] = advance(now, input);
    inputs.push({ input, before: now, after, events });
    now = after;
  }
  const run = { ...now, saves: record.save, updatedAt: record.updatedAt };
  return { record, before, inputs, run };
}

/** Compares only what every step changes. The journal of another version leads to other values. */
function isSame(run: RunState, state: RunState): boolean {
  return JSON.stringify(marksOf(run)) === JSON.stringify(marksOf(state));
}

function marksOf({ status, steps, processes, seq, totals, agents }: RunState): readonly unknown[] {
  const { attempts, costMicroUsd, estimatedMicroUsd } = totals;
  const sums = [attempts, costMicroUsd, estimatedMicroUsd];
  return [status, steps, processes, seq, sums, agents.map(({ id, state }) => [id, state])];
}
