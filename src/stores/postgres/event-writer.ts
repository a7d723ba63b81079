import type { RunId } from "../../core/machine/run-state.ts";
import type { Prepared, Queries } from "./database.ts";

/** A line of an event log, with its number. */
export interface NumberedLine {
  readonly seq: number;
  readonly line: string;
}

/** Writes lines of event logs behind whoever tells them. */
export interface EventWriter {
  /** Nothing waits for it. `failed`: told when lines of the run could not be kept. */
  add(run: RunId, line: NumberedLine, failed: (error: unknown) => void): void;
  /** Resolves when all that was added for the run is written, or has failed. */
  settled(run: RunId): Promise<void>;
}

/**
 * One for all runs of this process. What comes while a batch is under way is the next one: the more runs
 * there are, the more of their lines are one statement.
 */
export function eventWriter(on: Queries): EventWriter {
  let waiting: WaitingLine[] = [];
  let writing = false;
  /** What is under way now, and the runs with lines in it. */
  let turn: Promise<unknown> = Promise.resolve();
  let flying: ReadonlySet<RunId> = new Set();

  const write = async (): Promise<void> => {
    // What comes in the same turn goes along.
    turn = new Promise(setImmediate);
    await turn;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, AT_ONCE);
      waiting = waiting.slice(AT_ONCE);
      flying = new Set(batch.map(({ run }) => run));
      turn = keep(on, batch).catch((error: unknown) => keepApart(batch, error));
      await turn;
      flying = new Set();
    }
    writing = false;
  };
  /** One run that was removed meanwhile is no reason that the lines of the others are lost. */
  const keepApart = async (batch: readonly WaitingLine[], error: unknown): Promise<void> => {
    for (const run of flying) {
      const own = batch.filter((line) => line.run === run);
      const failed = own[0]?.failed ?? (() => undefined);
      if (flying.size === 1) failed(error);
      else await keep(on, own).catch(failed);
    }
  };
  return {
    add(run, line, failed) {
      if (waiting.length < MOST_WAITING) waiting.push({ run, ...line, failed });
      if (writing) return;
      writing = true;
      void write();
    },
    settled: async (run) => {
      // Not until all is written: the other runs may never be done.
      while (flying.has(run) || waiting.some((line) => line.run === run)) await turn;
    },
  };
}

interface WaitingLine extends NumberedLine {
  readonly run: RunId;
  readonly failed: (error: unknown) => void;
}

const AT_ONCE = 500;
/** The database may be away for a while, and memory is no place for a day of events. */
const MOST_WAITING = 50_000;

/** Keeps these lines; those that are there already stay as they are. */
async function keep(on: Queries, lines: readonly WaitingLine[]): Promise<void> {
  await on.query(KEEP, [
    lines.map(({ run }) => run),
    lines.map(({ seq }) => seq),
    lines.map(({ line }) => line.replaceAll("\0", "")),
  ]);
}

const KEEP: Prepared = {
  name: "keep_events",
  text: `INSERT INTO raymond.events (run, seq, line)
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[]) ON CONFLICT DO NOTHING`,
};
