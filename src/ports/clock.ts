/** Time, as a port: tests move it by hand. Contract: `tests/contracts/clock.ts`. */
export interface Clock {
  /** Epoch ms. */
  readonly now: () => number;
  /** ms since some moment. Nobody can set it: it only goes on, while the machine is awake. */
  readonly elapsed: () => number;
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}
