import type { Timers } from "../../../src/backends/claude/watchdog.ts";

/** A clock that stands until a test moves it. */
export interface HandClock extends Timers {
  /** Moves it on, and lets what wakes do its work. */
  advance(ms: number): Promise<void>;
}

export function handClock(start = 1_000_000): HandClock {
  let time = start;
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  return {
    now: () => time,
    sleep: (ms, signal) => {
      return new Promise((resolve) => {
        const wake = (): void => {
          sleepers.delete(sleeper);
          resolve();
        };
        const sleeper = { until: time + ms, wake };
        sleepers.add(sleeper);
        if (signal.aborted) wake();
        else signal.addEventListener("abort", wake, { once: true });
      });
    },
    async advance(ms) {
      const target = time + ms;
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        const due = [...sleepers].filter(({ until }) => until <= target);
        const next = due.sort((a, b) => a.until - b.until)[0];
        if (next === undefined) break;
        time = Math.max(time, next.until);
        next.wake();
      }
      time = target;
    },
  };
}
