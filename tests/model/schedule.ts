import type { Clock } from "../../src/engine/ports/clock.ts";

interface Turn {
  readonly of: string;
  readonly go: () => void;
}

/** All events that can happen next, and a clock. Only the chosen event happens. */
export class Schedule {
  readonly #choices: readonly number[];
  #turns: Turn[] = [];
  #picked = 0;

  constructor(choices: readonly number[]) {
    this.#choices = choices;
  }

  /** Resolves when it is this one's turn. */
  turn(of: string): Promise<void> {
    return new Promise((resolve) => {
      this.#turns.push({ of, go: resolve });
    });
  }

  /** One number of chance; 0 when all are used up. */
  chance(): number {
    this.#picked += 1;
    return this.#choices[this.#picked - 1] ?? 0;
  }

  /** Continues one waiting task. False if no task waits. */
  next(): boolean {
    if (this.#turns.length === 0) return false;
    const [turn] = this.#turns.splice(this.chance() % this.#turns.length, 1);
    turn?.go();
    return true;
  }

  get waiting(): readonly string[] {
    return this.#turns.map(({ of }) => of);
  }

  /** Those who wait never get their turn: their world has ended. */
  forget(): void {
    this.#turns = [];
  }
}

interface Sleeper {
  until: number;
  readonly wake: () => void;
}

/** A clock that stands still until it is moved. */
export class ModelClock implements Clock {
  readonly #sleepers = new Set<Sleeper>();
  #now: number;
  #setBack = 0;

  constructor(now: number) {
    this.#now = now;
  }

  now = (): number => this.#now;

  elapsed = (): number => this.#now + this.#setBack;

  sleep = (ms: number, signal: AbortSignal): Promise<void> => {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        this.#sleepers.delete(sleeper);
        resolve();
      };
      const sleeper: Sleeper = { until: this.#now + ms, wake };
      this.#sleepers.add(sleeper);
      signal.addEventListener("abort", wake, { once: true });
    });
  };

  /** Advances the clock slightly beyond the first wake-up time. False if no task sleeps. */
  advance(more: number): boolean {
    if (this.#sleepers.size === 0) return false;
    const first = Math.min(...[...this.#sleepers].map(({ until }) => until));
    this.#now = Math.max(this.#now, first) + more;
    for (const sleeper of [...this.#sleepers]) if (sleeper.until <= this.#now) sleeper.wake();
    return true;
  }

  /** Sets the clock back, ms, without extending sleeps. */
  setBack(ms: number): void {
    this.#now -= ms;
    this.#setBack += ms;
    for (const sleeper of this.#sleepers) sleeper.until -= ms;
  }

  get sleeping(): number {
    return this.#sleepers.size;
  }
}
