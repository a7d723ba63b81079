/**
 * How a step in flight is asked to end: after the answer that is under way, by
 * a first signal, or at once.
 */
export interface Cancellation {
  /**
   * The money is used up: a prompt step ends after the answer that is under way,
   * and what it has said until then is judged. Scripts cost nothing, and go on.
   */
  readonly budget: AbortSignal;
  /** Interrupt what runs: SIGINT, 2 s, SIGTERM, 2 s, SIGKILL (docs/claude.md, "How long raymond waits"). */
  readonly interrupt: AbortSignal;
  /** Kill what runs, now. */
  readonly kill: AbortSignal;
}
