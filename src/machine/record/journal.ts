import { parseJson } from "../../language/basics/json-object.ts";
import { advance, type Input } from "../advance.ts";
import type { RunState } from "../model/run-state.ts";
import { type NewRunOptions, newRun } from "../moves/new-run.ts";

/** One save: applying the inputs to the previous state gives the saved state (docs/state-file.md, "Journal"). */
export interface JournalRecord {
  /** `saves` of the state. */
  readonly save: number;
  readonly updatedAt: string;
  /** The initial state: in the first record of each process, command and file. */
  readonly from: Origin | null;
  readonly inputs: readonly Input[];
}

export type Origin =
  | { readonly kind: "started"; readonly options: NewRunOptions }
  | { readonly kind: "resumed"; readonly run: RunState }
  /** The state changed by a command while no process owned the run. */
  | { readonly kind: "command"; readonly run: RunState }
  /** The first state of this file: earlier records are elsewhere or deleted. */
  | { readonly kind: "base"; readonly run: RunState };

export type ReplayResult =
  | { readonly ok: true; readonly run: RunState }
  | { readonly ok: false; readonly problem: string };

/** The records of a journal, without lines that a crash has torn. */
export function readJournal(text: string): readonly JournalRecord[] {
  return text.split("\n").flatMap((line) => parseRecord(line) ?? []);
}

/**
 * Replays the journal up to a save. If a crash undid a save, the later record of the same number
 * counts.
 */
export function replayJournal(records: readonly JournalRecord[], save: number): ReplayResult {
  const byNumber = new Map(validRecords(records).map((record) => [record.save, record]));
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

/** Drops refused saves of a process that had lost the run, and redundant base records. */
export function validRecords(records: readonly JournalRecord[]): readonly JournalRecord[] {
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

export function originOf(from: Origin): RunState {
  switch (from.kind) {
    case "started":
      return newRun(from.options);
    case "resumed":
    case "command":
    case "base":
      return from.run;
  }
}

/** Whether a process starts with this record. */
export function startsProcess({ from }: JournalRecord): boolean {
  return from?.kind === "started" || from?.kind === "resumed";
}

/** A record that needs no earlier ones. */
export function baseRecord(run: RunState): JournalRecord {
  const { saves: save, updatedAt } = run;
  return { save, updatedAt, from: { kind: "base", run }, inputs: [] };
}

function lacks(number: number, save: number): string {
  return `The journal has no record of save ${String(number)}, so save ${String(save)} cannot be replayed.`;
}

function parseRecord(line: string): JournalRecord | null {
  const value = parseJson(line);
  const whole = typeof value === "object" && value !== null && "save" in value;
  return whole ? (value as JournalRecord) : null;
}
