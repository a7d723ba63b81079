import type { Observer } from "../engine/ports/observer.ts";

/** Several observers as one. An observer that throws is disabled, with a call of `warn`. Closing waits for all of them. */
export function fanOut(observers: readonly Observer[], warn: (message: string) => void): Observer {
  const watching = new Set(observers);

  return {
    notify(event, run, seq) {
      for (const observer of [...watching]) {
        try {
          observer.notify(event, run, seq);
        } catch (error) {
          watching.delete(observer);
          warn(disabledWarning(error));
        }
      }
    },
    async close() {
      await Promise.allSettled(observers.map(async (observer) => observer.close?.()));
    },
  };
}

function disabledWarning(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `A part of raymond that reports on the run failed and is disabled: ${reason} The run is not affected. This is a bug in raymond.`;
}
