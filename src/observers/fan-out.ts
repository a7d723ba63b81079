import type { Event } from "../core/machine/event.ts";
import type { RunState } from "../core/machine/run-state.ts";
import type { Observer } from "../ports/observer.ts";

/**
 * Several observers as one. One that throws is switched off, and the others
 * are told by a single `run.warning`. Closing waits for all, the switched-off
 * ones too.
 */
export function fanOut(observers: readonly Observer[]): Observer {
  const watching = new Set(observers);

  const tell = (event: Event, run: RunState): void => {
    for (const observer of [...watching]) {
      try {
        observer.notify(event, run);
      } catch (error) {
        watching.delete(observer);
        tell(switchedOff(error), run);
      }
    }
  };

  return {
    notify: tell,
    async close() {
      await Promise.allSettled(observers.map(async (observer) => observer.close?.()));
    },
  };
}

function switchedOff(error: unknown): Event {
  const reason = error instanceof Error ? error.message : String(error);
  return {
    type: "run.warning",
    message: `A part of raymond that reports on the run has failed and is switched off: ${reason}`,
    hint: "The run itself is not affected. This is a bug in raymond.",
  };
}
