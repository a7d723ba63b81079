/** Time, as a port: tests move it by hand. */
export interface Clock {
  /** Epoch ms. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}
