import type { Clock } from "../../engine/ports/clock.ts";

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/**
 * A clock for one test: time passes only while every task sleeps, and then jumps to the first
 * wake-up. {@link busy} marks a task as working.
 */
export class VirtualClock implements Clock {
  #now = START;
  #working = 0;
  #looks = false;
  readonly #sleepers = new Set<Sleeper>();

  now = (): number => this.#now;

  elapsed = (): number => this.#now - START;

  sleep = (ms: number, signal: AbortSignal): Promise<void> => {
    if (ms <= 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeper: Sleeper = {
        until: this.#now + ms,
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal.removeEventListener("abort", sleeper.wake);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal.addEventListener("abort", sleeper.wake, { once: true });
      this.#lookSoon();
    });
  };

  /** No time passes during this work, except in {@link pause}. */
  async busy<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#working += 1;
    try {
      return await work();
    } finally {
      this.#working -= 1;
      this.#lookSoon();
    }
  }

  /** A sleep of a busy task. */
  pause = async (ms: number, signal: AbortSignal): Promise<void> => {
    this.#working -= 1;
    await this.sleep(ms, signal);
    this.#working += 1;
  };

  /** Runs after all tasks that can continue have continued. */
  #lookSoon(): void {
    if (this.#looks) return;
    this.#looks = true;
    // A task that woke up may yield once more, as a script timeout does.
    setImmediate(() => {
      setImmediate(() => {
        this.#looks = false;
        this.#pass();
      });
    });
  }

  #pass(): void {
    if (this.#working > 0 || this.#sleepers.size === 0) return;
    const sleepers = [...this.#sleepers];
    this.#now = Math.min(...sleepers.map(({ until }) => until));
    for (const { until, wake } of sleepers) if (until <= this.#now) wake();
    this.#lookSoon();
  }
}

/** When every test begins: 1 January 2026, UTC. */
const START = Date.UTC(2026, 0, 1);
