import type { Observer } from "../ports/observer.ts";

/**
 * Several observers as one. One that throws is switched off, and `warn` is told
 * so: it is no event of the run. Closing waits for all, the switched-off ones too.
 */
export function fanOut(observers: readonly Observer[], warn: (message: string) => void): Observer {
  const watching = new Set(observers);

  return {
    notify(event, run, seq) {
      for (const observer of [...watching]) {
        try {
          observer.notify(event, run, seq);
        } catch (error) {
          watching.delete(observer);
          warn(switchedOff(error));
        }
      }
    },
    async close() {
      await Promise.allSettled(observers.map(async (observer) => observer.close?.()));
    },
  };
}

function switchedOff(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `A part of raymond that reports on the run has failed and is switched off: ${reason} The run itself is not affected. This is a bug in raymond.`;
}
