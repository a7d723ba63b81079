import type { Event } from "../core/machine/event.ts";
import type { RunId, RunState } from "../core/machine/run-state.ts";
import type { LockHolder } from "../ports/store.ts";
import type { Caller } from "./caller.ts";
import { logEvents } from "./log-events.ts";

/** What there is to tell of a holder that was taken for dead. */
export function takenOver(run: RunId, { host, pid, startedAt, heardAt }: LockHolder): Event {
  return { type: "run.taken-over", run, host, pid, startedAt, heardAt };
}

/** Writes it into the event log of a run that does not go on. */
export async function logTakeOver(
  run: RunState,
  holder: LockHolder,
  file: string,
  caller: Caller,
): Promise<void> {
  await logEvents([takenOver(run.id, holder)], run, file, caller);
}
