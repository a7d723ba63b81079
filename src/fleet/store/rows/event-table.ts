import type { Observer } from "../../../engine/ports/observer.ts";
import type { Event } from "../../../machine/event.ts";
import type { RunId } from "../../../machine/run-state.ts";
import type { Queries } from "../database.ts";
import type { EventWriter, NumberedLine } from "../event-writer.ts";

/** How an event is written down (docs/events.md). */
export type PrintEvent = (event: Event, seq: number, at: number) => string;

/** The events of a run for all machines: what cannot be written is one call of `warn`, never a failure. */
export function eventTable(
  writer: EventWriter,
  run: RunId,
  print: PrintEvent,
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
      writer.add(run, { seq, line: print(event, seq, clock.now()) }, failed);
    },
    close: () => writer.settled(run),
  };
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
