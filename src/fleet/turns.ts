import type { Clock } from "../ports/clock.ts";

/** How many have a turn beside each other. */
export interface TurnsOptions {
  readonly atOnce: number;
  /** A turn that takes longer keeps nobody waiting any more, ms. */
  readonly longMs: number;
  readonly clock: Pick<Clock, "sleep">;
}

/**
 * What happens in turns, in the order in which it was asked for: so much at once. A turn is over when it is
 * given back, or when it has taken long: then the next has its turn beside it.
 */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #waiting = new Set<() => void>();
  #begun = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** Resolves with what gives the turn back, once it has come. When one of `until` aborts it is not waited for any more. */
  async take(...until: readonly AbortSignal[]): Promise<() => void> {
    if (until.some(({ aborted }) => aborted)) return hadNone;
    if (this.#begun < this.#options.atOnce) this.#begun += 1;
    else if (!(await this.#isNext(until))) return hadNone;
    return this.#begin();
  }

  /** Whether its turn has come; false: it was given up. */
  #isNext(until: readonly AbortSignal[]): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (hasCome: boolean) => {
        for (const signal of until) signal.removeEventListener("abort", giveUp);
        resolve(hasCome);
      };
      const come = () => {
        settle(true);
      };
      const giveUp = () => {
        this.#waiting.delete(come);
        settle(false);
      };
      this.#waiting.add(come);
      for (const signal of until) signal.addEventListener("abort", giveUp);
    });
  }

  #begin(): () => void {
    const { clock, longMs } = this.#options;
    const over = new AbortController();
    const end = () => {
      if (over.signal.aborted) return;
      over.abort();
      this.#next();
    };
    void clock.sleep(longMs, over.signal).then(end);
    return end;
  }

  #next(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#begun -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

function hadNone(): void {
  // There is nothing to give back.
}
