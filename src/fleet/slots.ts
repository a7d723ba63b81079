/** So many runs at once, whatever queues they come from; who comes later waits. */
export class Slots {
  readonly #waiting: (() => void)[] = [];
  readonly #idle: (() => void)[] = [];
  #free: number;
  #taken = 0;

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves with what gives the slot back, when there is one; never once `until` has aborted. */
  async take(until: AbortSignal): Promise<() => void> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free -= 1;
    if (until.aborted) return new Promise(() => undefined);
    this.#taken += 1;
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.#taken -= 1;
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
      if (this.#taken === 0) for (const idle of this.#idle.splice(0)) idle();
    };
  }

  /** Resolves when all are free. */
  empty(): Promise<void> {
    if (this.#taken === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }
}
