import type { Timers } from "../../../src/clients/common/watchdog.ts";

/** A clock that stands until a test moves it. */
export interface HandClock extends Timers {
  /** Moves it on, and lets what wakes do its work. */
  advance(ms: number): Promise<void>;
  /** Sets the wall clock forward or back, ms. */
  set(ms: number): void;
}

export function handClock(start = 1_000_000): HandClock {
  let time = start;
  let setBy = 0;
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  return {
    now: () => time + setBy,
    elapsed: () => time,
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
    set(ms) {
      setBy += ms;
    },
    async advance(ms) {
      const target = time + ms;
      for (;;) {
        // One turn for what wakes, and one for what that waits for.
        for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate);
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
