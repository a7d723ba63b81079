import type { Clock } from "../../src/engine/ports/clock.ts";
import { NOON } from "./run-driver.ts";

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** A clock that only the test advances. */
export class SimulatedClock implements Clock {
  #now = NOON;
  #set = 0;
  readonly #sleepers = new Set<Sleeper>();
  readonly #watchers = new Set<() => void>();

  now = (): number => this.#now + this.#set;

  elapsed = (): number => this.#now;

  sleep = (ms: number, signal: AbortSignal): Promise<void> => {
    if (ms <= 0) return Promise.resolve();
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeper: Sleeper = {
        until: this.#now + ms,
        wake: () => {
          this.#sleepers.delete(sleeper);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal.addEventListener("abort", sleeper.wake, { once: true });
      for (const watcher of this.#watchers) watcher();
    });
  };

  /** Resolves when there is a pending timer. */
  async someoneSleeps(): Promise<void> {
    if (this.#sleepers.size > 0) return;
    await new Promise<void>((resolve) => {
      const watcher = () => {
        this.#watchers.delete(watcher);
        resolve();
      };
      this.#watchers.add(watcher);
    });
  }

  /** Advances the clock and runs expired timers. */
  advance(ms: number): void {
    this.#now += ms;
    for (const sleeper of [...this.#sleepers]) if (sleeper.until <= this.#now) sleeper.wake();
  }

  /** Changes the wall clock without advancing time, ms. */
  set(ms: number): void {
    this.#set += ms;
  }

  /** The number of pending timers, to detect leaks. */
  get sleeping(): number {
    return this.#sleepers.size;
  }
}
