/** Polls at an interval while there are listeners. */
export class Listeners {
  readonly #listeners = new Set<() => void>();
  readonly #poll: () => Promise<void>;
  readonly #intervalMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(poll: () => Promise<void>, intervalMs: number) {
    this.#poll = poll;
    this.#intervalMs = intervalMs;
  }

  get count(): number {
    return this.#listeners.size;
  }

  /** Returns a function that unsubscribes the listener. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => void this.#poll(), this.#intervalMs).unref();
    return () => {
      this.#listeners.delete(listener);
      if (this.count > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Idle time after a read, as a multiple of its duration: limits the CPU share to a tenth. */
export const IDLE_FACTOR = 9;
