/** Time. Contract: `tests/contracts/clock.ts`. */
export interface Clock {
  /** Epoch ms. */
  readonly now: () => number;
  /** Monotonic time, ms. Does not advance while the machine is suspended. */
  readonly elapsed: () => number;
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}
