import type { Clock } from "../../src/ports/clock.ts";
import { NOON } from "./driving.ts";

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** A clock that stands still until it is moved. */
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

  /** Resolves once somebody sleeps. */
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

  /** Moves the clock, and wakes whom it passes. */
  advance(ms: number): void {
    this.#now += ms;
    for (const sleeper of [...this.#sleepers]) if (sleeper.until <= this.#now) sleeper.wake();
  }

  /** Somebody sets the clock, by so much forward or back. */
  set(ms: number): void {
    this.#set += ms;
  }

  /** How many sleep: a timer that is left behind is found by it. */
  get sleeping(): number {
    return this.#sleepers.size;
  }
}
