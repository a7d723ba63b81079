/** The ways to end a step in flight. */
export interface Cancellation {
  /**
   * The budget is used up: a prompt step ends after the current response, and its output so far is
   * evaluated. Scripts cost nothing and continue.
   */
  readonly budget: AbortSignal;
  /** Interrupts: SIGINT, 2 s, SIGTERM, 2 s, SIGKILL (docs/claude.md, "Timeouts"). */
  readonly interrupt: AbortSignal;
  /** Kills at once. */
  readonly kill: AbortSignal;
}
