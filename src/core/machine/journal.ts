import { advance, type Input } from "./advance.ts";
import { type Beginning, newRun } from "./new-run.ts";
import type { RunState } from "./run-state.ts";

/**
 * What one save of a run was made of: the state before it, advanced by these
 * inputs one after the other, is the state that was saved (docs/state-file.md,
 * "The journal").
 */
export interface JournalRecord {
  /** Number of the save, as `saves` of the state counts them. */
  readonly save: number;
  readonly updatedAt: string;
  /** The state that the inputs start from: in the first record of each process, command and file. */
  readonly from: Origin | null;
  readonly inputs: readonly Input[];
}

export type Origin =
  | { readonly kind: "begun"; readonly beginning: Beginning }
  /** The state as it was found. */
  | { readonly kind: "resumed"; readonly run: RunState }
  /** The state to which a command applied its inputs while no process drove the run. */
  | { readonly kind: "command"; readonly run: RunState }
  /** What this file begins with, or this run: what has led there is told elsewhere, or gone. */
  | { readonly kind: "base"; readonly run: RunState };

/** A state that was told by a journal, or why it cannot tell it. */
export type Folded =
  | { readonly ok: true; readonly run: RunState }
  | { readonly ok: false; readonly problem: string };

/** The records of a journal, and the numbers of its lines that are none: torn by a crash. */
export interface JournalText {
  readonly records: readonly JournalRecord[];
  readonly torn: readonly number[];
}

/** Reads the lines of a journal. One that is no whole record is named, never guessed. */
export function readJournal(text: string): JournalText {
  const records: JournalRecord[] = [];
  const torn: number[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line === "") continue;
    const record = parseRecord(line);
    if (record === null) torn.push(index + 1);
    else records.push(record);
  }
  return { records, torn };
}

/**
 * The state at a save, folded from the journal. A save that a crash has undone
 * has a later record of the same number, where the next life begins, and that
 * one counts.
 * @public Tests read it; a run as a whole is told by `recordingOf`.
 */
export function foldJournal(records: readonly JournalRecord[], save: number): Folded {
  const byNumber = new Map(recordsOf(records).map((record) => [record.save, record]));
  const path: JournalRecord[] = [];
  for (let number = save; ; number -= 1) {
    const record = byNumber.get(number);
    if (record === undefined) return { ok: false, problem: lacks(number, save) };
    path.unshift(record);
    if (record.from !== null) break;
  }
  const run = path.reduce<RunState | null>(apply, null);
  return run === null ? { ok: false, problem: lacks(save, save) } : { ok: true, run };
}

/**
 * Without those of a raymond that had lost the run to another: it counted on, and its saves were refused.
 * And without a base whose save is told by what stands before it.
 */
export function recordsOf(records: readonly JournalRecord[]): readonly JournalRecord[] {
  let last = 0;
  return records.filter(({ save, from }) => {
    if ((from === null || from.kind === "base") && save <= last) return false;
    last = save;
    return true;
  });
}

function apply(before: RunState | null, record: JournalRecord): RunState | null {
  const { save, updatedAt, from, inputs } = record;
  const start = from === null ? before : originOf(from);
  if (start === null) return null;
  const run = inputs.reduce((now, input) => advance(now, input)[0], start);
  return { ...run, saves: save, updatedAt };
}

/** The run where a life begins. */
export function originOf(from: Origin): RunState {
  switch (from.kind) {
    case "begun":
      return newRun(from.beginning);
    case "resumed":
    case "command":
    case "base":
      return from.run;
  }
}

/** Whether a process that drives the run starts with this record. */
export function startsLife({ from }: JournalRecord): boolean {
  return from?.kind === "begun" || from?.kind === "resumed";
}

/** What a file begins with, so that it needs none before it. */
export function baseRecord(run: RunState): JournalRecord {
  const { saves: save, updatedAt } = run;
  return { save, updatedAt, from: { kind: "base", run }, inputs: [] };
}

function lacks(number: number, save: number): string {
  return `The journal has no record of save ${String(number)}, so it does not tell how the run came to save ${String(save)}.`;
}

/** What raymond has written itself is taken as it is. */
function parseRecord(line: string): JournalRecord | null {
  try {
    const value: unknown = JSON.parse(line);
    const whole = typeof value === "object" && value !== null && "save" in value;
    return whole ? (value as JournalRecord) : null;
  } catch {
    return null;
  }
}
