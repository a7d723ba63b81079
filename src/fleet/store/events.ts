import type { Observer } from "../../engine/ports/observer.ts";
import { logLine } from "../../log/event-log.ts";
import type { RunId } from "../../machine/model/run-state.ts";
import type { Prepared, Queries } from "./database.ts";

/** A line of an event log, with the number of its event. */
export interface NumberedLine {
  readonly seq: number;
  readonly line: string;
}

/** Writes lines of event logs in the background. */
export interface EventWriter {
  /** `failed` is called if lines of the run cannot be stored. */
  add(run: RunId, line: NumberedLine, failed: (error: unknown) => void): void;
  /** Resolves when all lines of the run are stored, or have failed. */
  settled(run: RunId): Promise<void>;
}

/**
 * One writer for all runs of a process. It writes one batch at a time, so that readers see the lines of a run
 * in order.
 */
export function eventWriter(on: Queries): EventWriter {
  let waiting: WaitingLine[] = [];
  let writing = false;
  let turn: Promise<unknown> = Promise.resolve();
  let inFlight: ReadonlySet<RunId> = new Set();

  const write = async (): Promise<void> => {
    // Lines that are added synchronously join the first batch.
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
  name: "insert_events",
  text: `INSERT INTO raymond.events (run, seq, line)
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[]) ON CONFLICT DO NOTHING`,
};

/** Stores the events of a run. Calls `warn` once if some cannot be stored. */
export function eventTable(
  writer: EventWriter,
  run: RunId,
  clock: { now(): number },
  warn: (message: string) => void,
): Observer {
  let warned = false;
  const failed = (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    if (!warned) warn(`Cannot store all events of ${run}, so its event log has gaps: ${reason}`);
    warned = true;
  };
  return {
    notify(event, _run, seq) {
      writer.add(run, { seq, line: logLine(event, seq, clock.now()) }, failed);
    },
    close: () => writer.settled(run),
  };
}

/** Up to 5,000 lines after `seq`, in order. */
export function eventsAfter(
  on: Queries,
  run: RunId,
  seq: number,
): Promise<readonly NumberedLine[]> {
  return on.query<NumberedLine>(
    "SELECT seq, line FROM raymond.events WHERE run = $1 AND seq > $2 ORDER BY seq LIMIT 5000",
    [run, seq],
  );
}

/** Number of the last stored event; 0 without any. */
export async function lastStored(on: Queries, run: RunId): Promise<number> {
  const [row] = await on.query<{ seq: number | null }>(
    "SELECT max(seq) AS seq FROM raymond.events WHERE run = $1",
    [run],
  );
  return row?.seq ?? 0;
}
