/** A process that a step has left running. */
export interface Leftover {
  readonly pid: number;
  readonly command: string;
}

/**
 * Processes that outlive their step, as a port (docs/durability.md, "The
 * promises"). Contract: `tests/contracts/leftovers.ts`.
 */
export interface Leftovers {
  /**
   * Ends every process that carries this run token or descends from one that
   * does, as far as the platform lets it see. Returns what it has ended.
   */
  end(runToken: string): Promise<readonly Leftover[]>;
  /** The same for one attempt of a step, by its own token. */
  endStep(stepToken: string): Promise<readonly Leftover[]>;
}
