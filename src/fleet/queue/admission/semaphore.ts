import type { Clock } from "../../../engine/ports/clock.ts";

/** Releases permits that are held for too long, so that one slow holder does not block the others. */
export interface PermitExpiry {
  readonly afterMs: number;
  readonly clock: Pick<Clock, "sleep">;
}

/** Limits how many holders run at once. Waiting callers get permits in the order of their calls. */
export class Semaphore {
  readonly #expiry: PermitExpiry | null;
  readonly #waiting = new Set<() => void>();
  readonly #onIdle: (() => void)[] = [];
  #free: number;
  #held = 0;

  constructor(permits: number, expiry: PermitExpiry | null = null) {
    this.#free = permits;
    this.#expiry = expiry;
  }

  /** Resolves with an idempotent function that releases the permit; null if a signal aborts first. */
  async acquire(...signals: readonly AbortSignal[]): Promise<(() => void) | null> {
    if (signals.some(({ aborted }) => aborted)) return null;
    if (this.#free > 0) this.#free -= 1;
    else if (!(await this.#waitForPermit(signals))) return null;
    return this.#hold();
  }

  /** Resolves when no permit is held. */
  idle(): Promise<void> {
    if (this.#held === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  #waitForPermit(signals: readonly AbortSignal[]): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (acquired: boolean) => {
        this.#waiting.delete(onPermit);
        for (const signal of signals) signal.removeEventListener("abort", onAbort);
        resolve(acquired);
      };
      const onPermit = () => {
        settle(true);
      };
      const onAbort = () => {
        settle(false);
      };
      this.#waiting.add(onPermit);
      for (const signal of signals) signal.addEventListener("abort", onAbort);
    });
  }

  #hold(): () => void {
    this.#held += 1;
    const released = new AbortController();
    const release = () => {
      if (released.signal.aborted) return;
      released.abort();
      this.#held -= 1;
      const [next] = this.#waiting;
      if (next === undefined) this.#free += 1;
      else next();
      if (this.#held === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    };
    if (this.#expiry !== null) {
      const { clock, afterMs } = this.#expiry;
      void clock.sleep(afterMs, released.signal).then(release);
    }
    return release;
  }
}
