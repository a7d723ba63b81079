import type { RunId } from "../../machine/run-state.ts";
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
  let inFlight: ReadonlySet<RunId> = new Set();

  const write = async (): Promise<void> => {
    // What comes in the same turn goes along.
    turn = new Promise(setImmediate);
    await turn;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_BATCH);
      waiting = waiting.slice(MAX_BATCH);
      inFlight = new Set(batch.map(({ run }) => run));
      turn = insert(on, batch).catch((error: unknown) => writeApart(batch, error));
      await turn;
      inFlight = new Set();
    }
    writing = false;
  };
  /** After a failed batch each run is written alone: one of them may have been deleted. */
  const writeApart = async (batch: readonly WaitingLine[], error: unknown): Promise<void> => {
    for (const run of inFlight) {
      const own = batch.filter((line) => line.run === run);
      const failed = own[0]?.failed ?? (() => undefined);
      if (inFlight.size === 1) failed(error);
      else await insert(on, own).catch(failed);
    }
  };
  return {
    add(run, line, failed) {
      if (waiting.length < MAX_WAITING) waiting.push({ run, ...line, failed });
      if (writing) return;
      writing = true;
      void write();
    },
    settled: async (run) => {
      // Does not wait for other runs, which may never stop writing.
      while (inFlight.has(run) || waiting.some((line) => line.run === run)) await turn;
    },
  };
}

interface WaitingLine extends NumberedLine {
  readonly run: RunId;
  readonly failed: (error: unknown) => void;
}

const MAX_BATCH = 500;
/** Further lines are dropped, to bound memory while the database is away. */
const MAX_WAITING = 50_000;

/** Idempotent. */
async function insert(on: Queries, lines: readonly WaitingLine[]): Promise<void> {
  await on.query(INSERT, [
    lines.map(({ run }) => run),
    lines.map(({ seq }) => seq),
    lines.map(({ line }) => line.replaceAll("\0", "")),
  ]);
}

const INSERT: Prepared = {
  name: "keep_events",
  text: `INSERT INTO raymond.events (run, seq, line)
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[]) ON CONFLICT DO NOTHING`,
};
