import type { Event } from "../core/machine/event.ts";
import type { Leftover } from "../ports/leftovers.ts";

/** What there is to tell of processes that were ended. */
export function tellEnded(ended: readonly Leftover[]): readonly Event[] {
  return ended.map(({ pid, command }) => {
    const message = `A step had left a process running, and it was ended: ${command} (pid ${String(pid)}).`;
    return { type: "run.warning", message, hint: null };
  });
}
