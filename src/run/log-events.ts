import type { Event } from "../machine/event.ts";
import type { RunState } from "../machine/run-state.ts";
import type { Caller } from "../wire/caller.ts";
import type { RunSource } from "../wire/run-source.ts";

/** Logs events of a run that no engine emits, numbered after all others. Events that cannot be written are lost. */
export async function logEvents(
  source: RunSource,
  run: RunState,
  events: readonly Event[],
  caller: Pick<Caller, "now">,
): Promise<void> {
  const writer = await source.eventWriter(run.id, caller, () => undefined);
  const last = Math.max(run.seq, await source.lastEvent(run.id));
  for (const [index, event] of events.entries()) writer.notify(event, run, last + index + 1);
  await writer.close?.();
}
