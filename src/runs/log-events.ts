import type { Event } from "../core/machine/event.ts";
import type { RunState } from "../core/machine/run-state.ts";
import { eventLog, lastTold } from "../observers/event-log.ts";
import type { Caller } from "./caller.ts";

/** Writes into the event log of a run that does not go on what has happened to it since it was saved so. */
export async function logEvents(
  events: readonly Event[],
  run: RunState,
  file: string,
  caller: Caller,
): Promise<void> {
  const log = eventLog(file, caller, () => undefined);
  const last = Math.max(run.seq, lastTold(file));
  for (const [index, event] of events.entries()) log.notify(event, run, last + index + 1);
  await log.close?.();
}
