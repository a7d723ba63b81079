import type { LockHolder } from "../../engine/ports/store.ts";
import type { Event } from "../../machine/event.ts";
import type { RunId } from "../../machine/run-state.ts";

export function takeOverEvent(
  run: RunId,
  { host, pid, startedAt, lastSeenAt: heardAt }: LockHolder,
): Event {
  return { type: "run.taken-over", run, host, pid, startedAt, heardAt };
}
