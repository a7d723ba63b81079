import type { Event } from "../../core/machine/event.ts";
import type { RunId } from "../../core/machine/run-state.ts";
import type { Observer } from "../../ports/observer.ts";
import type { Queries } from "./database.ts";

/** A line of an event log, with its number. */
export interface NumberedLine {
  readonly seq: number;
  readonly line: string;
}

/** How an event is written down (docs/events.md). */
export type PrintEvent = (event: Event, seq: number, at: number) => string;

/**
 * The events of a run for all machines: written behind, in batches, and nothing waits for
 * them. What cannot be written is one call of `warn`, never a failure.
 */
export function eventTable(
  on: Queries,
  run: RunId,
  print: PrintEvent,
  clock: { now(): number },
  warn: (message: string) => void,
): Observer {
  let waiting: NumberedLine[] = [];
  let writing: Promise<void> | null = null;
  let warned = false;
  const write = async (): Promise<void> => {
    // What comes in the same turn goes along.
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const batch = waiting.slice(0, AT_ONCE);
      waiting = waiting.slice(AT_ONCE);
      try {
        await keepEvents(on, run, batch);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (!warned) warn(`The events of ${run} cannot be kept, so they have gaps: ${reason}`);
        warned = true;
      }
    }
    writing = null;
  };
  return {
    notify(event, _run, seq) {
      if (waiting.length < MOST_WAITING)
        waiting.push({ seq, line: print(event, seq, clock.now()) });
      writing ??= write();
    },
    close: async () => {
      while (writing !== null) await writing;
    },
  };
}

const AT_ONCE = 500;
/** The database may be away for a while, and memory is no place for a day of events. */
const MOST_WAITING = 20_000;

/** Keeps these lines; those that are there already stay as they are. */
export async function keepEvents(
  on: Queries,
  run: RunId,
  lines: readonly NumberedLine[],
): Promise<void> {
  await on.query(
    `INSERT INTO raymond.events (run, seq, line)
     SELECT $1, * FROM unnest($2::bigint[], $3::text[]) ON CONFLICT DO NOTHING`,
    [run, lines.map(({ seq }) => seq), lines.map(({ line }) => line.replaceAll("\0", ""))],
  );
}

/** The lines behind this number, in their order: at most so many. */
export async function eventsAfter(
  on: Queries,
  run: RunId,
  seq: number,
  most = 5_000,
): Promise<readonly NumberedLine[]> {
  return on.query<NumberedLine>(
    "SELECT seq, line FROM raymond.events WHERE run = $1 AND seq > $2 ORDER BY seq LIMIT $3",
    [run, seq, most],
  );
}

/** Number of the last event that is kept; 0 without any. */
export async function lastKept(on: Queries, run: RunId): Promise<number> {
  const [row] = await on.query<{ seq: number | null }>(
    "SELECT max(seq) AS seq FROM raymond.events WHERE run = $1",
    [run],
  );
  return row?.seq ?? 0;
}
