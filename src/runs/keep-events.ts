import type { Event } from "../core/machine/event.ts";
import type { RunState } from "../core/machine/run-state.ts";
import type { Store } from "../ports/store.ts";
import type { Caller } from "./caller.ts";

/**
 * Keeps events of a run of a fleet that no engine emits. They have the numbers behind the last one of the run,
 * which is as it was before them. What cannot be kept is lost, as the last events of a worker that is killed are.
 */
export async function keepEvents(
  events: readonly Event[],
  run: RunState,
  { remote }: Pick<Store, "remote">,
  { now }: Pick<Caller, "now">,
): Promise<void> {
  const observer = remote?.events(run.id, { now }, () => undefined);
  for (const [index, event] of events.entries()) observer?.notify(event, run, run.seq + index + 1);
  await observer?.close?.();
}
